"""The console for whoever can read the store of this machine: they need no account."""

from __future__ import annotations

from fastapi import FastAPI, Request
from scrapy.settings import BaseSettings
from sqlalchemy import Engine

from newsspider.features.console.access import admit
from newsspider.features.console.accounts import Bearer, Role
from newsspider.features.console.app import create_app


def local_console(engine: Engine, settings: BaseSettings, *, may_write: bool) -> FastAPI:
    """The console of a store, which asks nobody to log in; without ``may_write`` it refuses each change."""

    def admit_reader_of_the_store(request: Request) -> None:
        request.state.bearer = Bearer("", Role.ADMIN, "edit" if may_write else "read", "", 0.0)

    app = create_app(engine, hosts=("127.0.0.1",), settings=settings)
    app.dependency_overrides[admit] = admit_reader_of_the_store
    return app
