"""The ASGI application: HTTP and WebSocket."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "burp_site.settings")

from django.core.asgi import get_asgi_application

application = get_asgi_application()
