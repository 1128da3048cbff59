"""Sign in with a one-time link or a password; sign out."""

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.http import require_GET, require_http_methods

from usage.services import one_time_link_redeem

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


sign_out = LogoutView.as_view(http_method_names=["post"])
