"""Delivers the messages of alerts: any number of processes, each message by one of them at a time."""

from __future__ import annotations

import logging
import random
import secrets
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice
from threading import Event
from typing import NamedTuple, TypeAlias

from sqlalchemy import Connection, Engine

from newsspider.features.alerts import deliveries, event_and_source_alerts, story_bundling
from newsspider.features.alerts.channels import Outcome, is_mail, mask_channel, send_message
from newsspider.features.alerts.deliveries import Delivery
from newsspider.features.alerts.stored_alerts import all_alerts
from newsspider.features.events.detection_run import analyse_new, count_unanalysed
from newsspider.hooks import plugins
from newsspider.sites.holidays import NO_HOLIDAYS, Holidays
from newsspider.store.engine.clock import Clock
from newsspider.store.engine.database import reading, writing
from newsspider.store.engine.errors import StoreFailedError

POLL_SECONDS = 1.0
ERROR_SECONDS = 30.0
WATCH_SECONDS = 60.0  # between two looks at events and lists
TIDY_SECONDS = 3600.0
MESSAGES_AT_ONCE = 16  # messages on their way
LEASE_SECONDS = 120.0  # after which a message of a process that died is sent by another one
EVENT_BATCHES = 5  # of articles that are put with their events, a round

logger = logging.getLogger(__name__)

Sending: TypeAlias = dict["Future[Outcome]", Delivery]


class DeliveryResult(NamedTuple):
    """What became of a message of an alert on a channel, as it may be shown."""

    owner: str
    alert: str
    channel: str
    is_sent: bool


@dataclass
class Deliverer:
    """Puts stories into messages and sends them, until it is told to end.

    A message is leased, sent, and marked as sent; the lease is renewed as long as the channel takes. If the process
    dies between, it is sent again when its lease ends, with the same key.
    """

    engine: Engine
    console: str  # the address that links lead to
    retry_seconds: float  # the wait after a first failure
    holidays: Holidays = NO_HOLIDAYS
    clock: Clock = field(default_factory=Clock)
    name: str = field(default_factory=lambda: secrets.token_hex(8))
    chance: Callable[[], float] = random.random
    lease_seconds: float = LEASE_SECONDS
    next_renewal: float = 0.0  # of the leases of what is on its way
    results: Counter[DeliveryResult] = field(default_factory=Counter)  # of what was tried

    def run(self, ended: Event, *, once: bool = False) -> None:
        """Deliver until ``ended`` is set; ``once``: until nothing is due."""
        sending: Sending = {}
        making: Future[None] | None = None
        next_round = next_watch = next_analysis = next_tidy = 0.0
        with ThreadPoolExecutor(MESSAGES_AT_ONCE + 1, "newsspider-alerts") as pool:  # one makes what plug-ins send
            while True:
                try:
                    now = self.clock.now()
                    if now >= next_round and not ended.is_set():
                        next_round = now + POLL_SECONDS
                        if now >= next_watch:
                            next_watch = now + WATCH_SECONDS  # before it fails, which holds up no message
                            self._watch()
                        if now >= next_analysis:
                            next_analysis = now + WATCH_SECONDS  # the same
                            self._analyse()
                            next_analysis = now
                        making = self._make(pool, making, ended, once=once)
                        self.prepare()
                        if now >= next_tidy:
                            next_tidy = now + TIDY_SECONDS
                            self._tidy()
                    self._exchange(pool, sending, claiming=not ended.is_set())
                except Exception as error:  # keep delivering
                    if once:
                        raise
                    pause = _log(error)
                    if ended.is_set():  # what is on its way is sent again, by its key, when its lease ends
                        return
                    ended.wait(pause)
                if not sending and (once or ended.is_set()):
                    return
                if sending:
                    wait(sending, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
                else:
                    ended.wait(POLL_SECONDS)

    def prepare(self) -> int:
        """Put the stories that are due into messages; how many stories."""
        with reading(self.engine) as conn:
            if not story_bundling.due(conn, self.clock.now()):
                return 0
        with writing(self.engine) as conn:
            now = self.clock.now()
            return story_bundling.put(conn, story_bundling.due(conn, now), self.console, now)

    def _make(self, pool: ThreadPoolExecutor, making: Future[None] | None, ended: Event, *, once: bool) -> Future[None]:
        """Begin to have plug-ins put their messages, if they are through with the last time; ``once``: and end it."""
        if making is None or making.done():
            making = pool.submit(self._put_messages, ended, once=once)
        if once:
            making.result()
        return making

    def _put_messages(self, ended: Event, *, once: bool) -> None:
        """Have plug-ins put their messages, which may take long and holds up no others."""
        now = self.clock.now()
        try:
            plugins().hook.put_messages(engine=self.engine, console=self.console, holidays=self.holidays, now=now)
        except Exception as error:  # whatever a plug-in raises
            if once:
                raise
            ended.wait(_log(error))

    def _analyse(self) -> None:
        """Put the articles that are new with their events, if an alert tells each event once."""
        with reading(self.engine) as conn:
            waiting = any(alert.once == "event" for alert in all_alerts(conn)) and count_unanalysed(conn)
        for _ in islice(analyse_new(self.engine), EVENT_BATCHES) if waiting else ():
            pass

    def _watch(self) -> None:
        now = self.clock.now()
        with reading(self.engine) as conn:
            looks = event_and_source_alerts.look(conn, self.holidays, now)
        if looks:
            with writing(self.engine) as conn:
                event_and_source_alerts.note(conn, looks, now)

    def _tidy(self) -> None:
        with writing(self.engine) as conn:
            deliveries.forget_old(conn, self.clock.now())

    def _exchange(self, pool: ThreadPoolExecutor, sending: Sending, *, claiming: bool) -> None:
        """Write down what became of messages, and begin to send others."""
        done = [future for future in sending if future.done()]
        free = MESSAGES_AT_ONCE - len(sending) + len(done) if claiming else 0
        if free and not done:
            with reading(self.engine) as conn:
                free = free if deliveries.is_due(conn, self.clock.now()) else 0
        busy = [delivery for future, delivery in sending.items() if future not in done]
        renewing = bool(busy) and self.clock.now() >= self.next_renewal
        if not done and not free and not renewing:
            return
        with writing(self.engine) as conn:
            for future in done:
                self._settle(conn, sending[future], future.result())
            now = self.clock.now()
            if renewing:
                deliveries.renew(conn, busy, now + self.lease_seconds)
                self.next_renewal = now + self.lease_seconds / 3
            claimed = deliveries.claim(conn, self.name, free, now, self.lease_seconds, busy) if free else []
        for future in done:
            delivery = sending.pop(future)
            alert, channel = delivery.message["data"]["alert"], mask_channel(delivery.channel)
            self.results[DeliveryResult(alert["owner"], alert["name"], channel, not future.result().error)] += 1
        self._begin(pool, sending, claimed)

    def _begin(self, pool: ThreadPoolExecutor, sending: Sending, claimed: Iterable[Delivery]) -> None:
        for delivery in claimed:
            sending[pool.submit(self._send, delivery)] = delivery

    def _send(self, delivery: Delivery) -> Outcome:
        try:
            content = plugins().hook.message_content(
                engine=self.engine, message=delivery.message, is_mail=is_mail(delivery.channel)
            )
        except Exception as error:  # whatever a template, a missing package or the code of a plug-in raises
            return Outcome(f"it cannot be written: {error}")
        try:
            return send_message(
                delivery.channel, delivery.key, delivery.message, self.clock.now(), content, delivery.pieces
            )
        except (Exception, SystemExit) as error:  # a service of apprise may raise anything, and name secrets
            return Outcome(f"the channel failed: {type(error).__name__}")

    def _settle(self, conn: Connection, delivery: Delivery, outcome: Outcome) -> None:
        now = self.clock.now()
        if not outcome.error:
            if outcome.refused:
                logger.warning("message %s to %s: %s", delivery.key, mask_channel(delivery.channel), outcome.refused)
            deliveries.sent(conn, delivery, now, outcome.refused)
            return
        if delivery.tries in {1, deliveries.MOST_TRIES} or outcome.for_good:  # the tries between say no more
            logger.warning("message %s to %s: %s", delivery.key, mask_channel(delivery.channel), outcome.error)
        deliveries.failed(conn, delivery, outcome, now, base=self.retry_seconds, chance=self.chance())


def _log(error: Exception) -> float:
    """Log an error; the seconds to wait after it."""
    if isinstance(error, StoreFailedError):
        logger.warning("alerts wait: %s", error)
        return POLL_SECONDS
    logger.error("alerts wait: an error of newsspider", exc_info=error)
    return ERROR_SECONDS
