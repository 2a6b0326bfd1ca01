"""Runs the sample portal: ``python -m demo serve``, ``python -m demo baselines``, ``python -m demo run``,
and sites with planted faults: ``python -m demo faults``."""

from __future__ import annotations

import argparse
import asyncio
import signal
import socket
import sys
from datetime import datetime
from pathlib import Path

from demo import baselines, faults, sitefiles
from demo.clock import CHINA, START, Clock
from demo.portal import Portal
from demo.routes import Routes
from demo.server import Server, bound, serve

CRAWL_DELAY_SECONDS, FAST_CRAWL_DELAY_SECONDS = 0.5, 0.1
FEWEST_ARTICLES = 30  # below, not every fate finds an article
ENDINGS = (signal.SIGINT, signal.SIGTERM)


def main() -> int:
    """Reads the command line and does what it says; the exit code."""
    options = _parser().parse_args()
    if options.command == "run":
        from demo.show import run

        return run()
    if options.command == "faults":
        return _serve_faults(options.sites_dir)
    if options.command == "baselines":
        portal = Portal(8900, Clock(options.start), options.articles, options.seed)
        print("\n".join(baselines.measure(portal, Routes(portal)).lines()))
        return 0
    return _serve(options)


def _serve_faults(folder: Path) -> int:
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)  # for the threads of the servers, too
    with faults.planted() as files:
        faults.write(files, folder)
        print(f"{len(files)} sites, each with the fault that its name says (site files: {folder})")
        print(f"beside it: NEWSSPIDER_ALLOWED_ADDRESSES=127.0.11.0/24 scrapy sites check {folder}", flush=True)
        signal.sigwait(ENDINGS)
    return 0


def _serve(options: argparse.Namespace) -> int:
    try:
        sockets = bound(options.port)
    except OSError as error:
        print(f"the sample portal cannot listen on port {options.port}: {error.strerror}", file=sys.stderr)
        return 2
    port = sockets[0].getsockname()[1]
    clock = Clock(options.start, running=options.clock == "running")
    portal = Portal(port, clock, options.articles, options.seed, options.plain, options.crowded)
    routes = Routes(portal, FAST_CRAWL_DELAY_SECONDS if options.fast or options.plain else CRAWL_DELAY_SECONDS)
    server = Server(portal, routes, options.latency / 1000, options.fast)
    if options.sites_dir:
        sitefiles.write(portal, options.sites_dir)
    asyncio.run(_until_stopped(server, sockets, options))
    return 0


async def _until_stopped(server: Server, sockets: list[socket.socket], options: argparse.Namespace) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    portal = server.portal
    published = sum(post.appears_at <= 0 for post in portal.posts)
    print(
        f"sample portal: {len(portal.outlets)} sites, {published} articles, http://127.0.0.1:{portal.port}/"
        f" (site files: {options.sites_dir or 'none'}, clock {options.clock})",
        flush=True,
    )
    await serve(server, sockets, stop)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m demo", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    server = commands.add_parser("serve", help="serve the portal until SIGTERM")
    server.add_argument("--port", type=int, default=8900, help="0: any free port, printed")
    server.add_argument("--sites-dir", type=Path, help="write a site file a site there")
    server.add_argument("--clock", choices=("held", "running"), default="held")
    server.add_argument("--fast", action="store_true", help="short waits: slow pages, Retry-After, Crawl-delay")
    server.add_argument(
        "--plain",
        action="store_true",
        help="well-behaved pages only: none slow, failing, gone, limited or part of another",
    )
    server.add_argument(
        "--crowded", action="store_true", help="as many links, lists and comments around an article as on large portals"
    )
    server.add_argument("--latency", type=float, default=0.0, metavar="MS", help="before every answer")
    measure = commands.add_parser("baselines", help="print what simple ways reach on the portal")
    for command in (server, measure):
        command.add_argument("--articles", type=_articles, default=720, help=f"at least {FEWEST_ARTICLES}")
        command.add_argument("--seed", type=int, default=7)
        command.add_argument("--start", type=_moment, default=START, help="the portal's first moment, ISO 8601")
    broken = commands.add_parser("faults", help="serve sites with one planted fault each until SIGTERM")
    broken.add_argument("--sites-dir", type=Path, required=True, help="write a site file a site there")
    commands.add_parser("run", help="serve it, crawl it, show what was found")
    return parser


def _articles(text: str) -> int:
    if not text.isdecimal() or int(text) < FEWEST_ARTICLES:
        raise argparse.ArgumentTypeError(f"{text} is not a number of at least {FEWEST_ARTICLES}")
    return int(text)


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=CHINA)


if __name__ == "__main__":
    sys.exit(main())
