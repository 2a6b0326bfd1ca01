"""The console for whoever can read the store of this machine: they need no account."""

from __future__ import annotations

from fastapi import FastAPI
from scrapy.settings import BaseSettings
from sqlalchemy import Engine

from newsspider.features.console.accounts import Bearer, Role
from newsspider.features.console.app import create_app


def local_console(engine: Engine, settings: BaseSettings, *, may_write: bool) -> FastAPI:
    """The console of a store, which asks nobody to log in; without ``may_write`` it refuses each change."""
    app = create_app(engine, hosts=("127.0.0.1",), settings=settings)
    app.state.everybody = Bearer("", Role.ADMIN, "edit" if may_write else "read", "", 0.0)
    return app
