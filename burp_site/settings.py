"""Django's settings, from the environment (`burp_site.environment`) and `burp.toml` (`burp_site.config`)."""

from typing import Any

from burp_site import config, environment
from burp_site.artifact_storage import artifact_storage
from burp_site.database import database_from_url, sqlite_database
from burp_site.environment import PROJECT_ROOT
from burp_site.logging import logging_config
from burp_site.secret import secret_key

# --- what was configured ---------------------------------------------------------------------

ENVIRONMENT = environment.read()
BURP = config.build(ENVIRONMENT)
BURP_MODE = ENVIRONMENT.mode
DATA_DIR = ENVIRONMENT.data_dir
DATA_DIR.mkdir(parents=True, exist_ok=True, mode=0o700)

# --- core ------------------------------------------------------------------------------------

DEBUG = ENVIRONMENT.debug
SECRET_KEY = ENVIRONMENT.secret_key or secret_key(DATA_DIR / "secret_key")
LOOPBACK_HOSTS = ["127.0.0.1", "localhost", "[::1]"]
ALLOWED_HOSTS = LOOPBACK_HOSTS if ENVIRONMENT.is_local else list(ENVIRONMENT.allowed_hosts)
ROOT_URLCONF = "burp_site.urls"
ASGI_APPLICATION = "burp_site.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
USE_I18N = False

INSTALLED_APPS = [
    "burp_site",
    "evals",
    "chat",
    "tools_catalog",
    "artifacts",
    "usage",
    "channels",
    "csp",
    "django_htmx",
    "ninja",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]

# Every one of these can run on the event loop: a synchronous one would send each request through one thread.
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "burp_site.static_files.StaticFilesMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [PROJECT_ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# --- data ------------------------------------------------------------------------------------

DATABASES = {
    "default": database_from_url(ENVIRONMENT.database_url)
    if ENVIRONMENT.database_url
    else sqlite_database(DATA_DIR / "burp.sqlite3"),
}
if ENVIRONMENT.redis_url:
    CHANNEL_LAYERS: dict[str, Any] = {
        "default": {
            # Not the queueing one: whoever stops listening there takes messages of others along.
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": [ENVIRONMENT.redis_url], "prefix": "burp"},
        },
    }
    CACHES: dict[str, Any] = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": ENVIRONMENT.redis_url,
            "KEY_PREFIX": "burp",
        },
    }
else:
    CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}

MEDIA_ROOT = DATA_DIR / "media"

# --- static files ----------------------------------------------------------------------------

STATIC_URL = "/static/"
STATICFILES_DIRS = [PROJECT_ROOT / "static"]
# Local mode serves the files where they lie, so that a fresh clone needs no build step.
STATIC_ROOT = None if ENVIRONMENT.is_local else ENVIRONMENT.static_root
WHITENOISE_USE_FINDERS = ENVIRONMENT.is_local
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_MAX_AGE = 0 if ENVIRONMENT.is_local else 3600
WHITENOISE_ALLOW_ALL_ORIGINS = False
STORAGES = {
    "artifacts": artifact_storage(ENVIRONMENT),
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if ENVIRONMENT.is_local
        else "whitenoise.storage.CompressedManifestStaticFilesStorage",
    },
}

# --- people ----------------------------------------------------------------------------------

AUTH_USER_MODEL = "usage.User"
LOGIN_URL = "usage:sign_in"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "usage:sign_in"
PASSWORD_MIN_LENGTH = 12
AUTH_PASSWORD_VALIDATORS: list[dict[str, Any]] = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": PASSWORD_MIN_LENGTH},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
SESSION_COOKIE_AGE_S = 30 * 24 * 3600
SESSION_COOKIE_AGE = SESSION_COOKIE_AGE_S
SESSION_COOKIE_NAME = "burp_session"
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_NAME = "burp_csrf"

# --- trust boundary --------------------------------------------------------------------------

# `'self'` covers the WebSocket of the same host in today's browsers.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
        "manifest-src": ["'self'"],
    },
}
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
HTTPS = ENVIRONMENT.https and not ENVIRONMENT.is_local
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
# Whether HSTS covers subdomains and goes into browsers' lists is for the owner of the domain to say.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000_000

# --- logs ------------------------------------------------------------------------------------

LOGGING_CONFIG = "logging.config.dictConfig"
LOGGING = logging_config(log_format=ENVIRONMENT.log_format, level=ENVIRONMENT.log_level)
