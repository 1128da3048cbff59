"""Sign in with a one-time link or a password; sign out; see what one spent."""

from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.http import require_GET, require_http_methods

from usage.budgets import budget_standing
from usage.selectors import Dimension, Report, usage_report
from usage.services import one_time_link_redeem
from usage.tables import as_csv

GONE = 410
MODEL_BACKEND = "django.contrib.auth.backends.ModelBackend"


@require_http_methods(["GET", "POST"])
@never_cache
@csrf_protect
def sign_in(request: HttpRequest) -> HttpResponseBase:
    """Show how to sign in: with the printed link on one's own machine, with a password on a server."""
    if settings.BURP_MODE == "local":
        if request.user.is_authenticated:
            return redirect(settings.LOGIN_REDIRECT_URL)
        return render(request, "usage/sign_in_local.html")
    return LoginView.as_view(template_name="usage/sign_in.html", redirect_authenticated_user=True)(request)


@require_GET
@never_cache
def redeem_link(request: HttpRequest, secret: str) -> HttpResponse:
    """Sign in whoever holds an unused link."""
    user = one_time_link_redeem(secret=secret)
    if user is None:
        return render(request, "usage/link_gone.html", status=GONE)
    login(request, user, backend=MODEL_BACKEND)
    return redirect(settings.LOGIN_REDIRECT_URL)


@login_required
@require_GET
@never_cache
def report(request: HttpRequest) -> HttpResponse:
    """Show what the reader spent in a month (UTC), and how much of the caps is used now."""
    assert request.user.pk is not None
    month, after = _month(request)
    shown = _report(request, month, after)
    context = {
        "report": shown,
        "groups": [(dimension.value, lines) for dimension, lines in shown.lines.items()],
        "standings": budget_standing(user_id=request.user.pk),
        "month": month,
        "month_before": month - timedelta(days=1),
        "month_after": after if after <= datetime.now(UTC) else None,
    }
    return render(request, "usage/report.html", context)


@login_required
@require_GET
@never_cache
def report_csv(request: HttpRequest) -> HttpResponse:
    """Give the same numbers to a spreadsheet, with exact pico-USD."""
    month, after = _month(request)
    response = HttpResponse(as_csv(_report(request, month, after)), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="burp-usage-{month:%Y-%m}.csv"'
    return response


def _month(request: HttpRequest) -> tuple[datetime, datetime]:
    """Return the beginning of the wanted month and of the one after it; of this month if that is none."""
    try:
        month = datetime.strptime(request.GET.get("month", ""), "%Y-%m").replace(tzinfo=UTC)
    except ValueError:
        month = datetime.now(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return month, (month + timedelta(days=32)).replace(day=1)


def _report(request: HttpRequest, since: datetime, until: datetime) -> Report:
    by = (Dimension.DAY, Dimension.MODEL, Dimension.SESSION, Dimension.TOOL)
    return usage_report(by=by, user_id=request.user.pk, since=since, until=until)


sign_out = LogoutView.as_view(http_method_names=["post"])
