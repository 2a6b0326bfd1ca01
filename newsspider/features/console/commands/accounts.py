"""``scrapy accounts``: who may log in to the console and use its API."""

from __future__ import annotations

from newsspider.cli.command_group import CommandGroup


class Command(CommandGroup):
    """Without an account ``scrapy web`` asks nobody to log in and listens on this machine only; with one everybody logs
    in. A reader reads; an editor also changes sites, topics and collections; an admin also manages accounts. Changes
    made here appear in the audit trail of the console.

    The password is asked for twice on the terminal, or is the first line of standard input. It has at least 12
    characters and is stored as an Argon2id hash."""

    summary = "List, add and remove accounts of the console; set passwords; make API tokens"

    def add_actions(self) -> None:
        from newsspider.features.console import account_changes as changes
        from newsspider.features.console.accounts import SCOPES, Role

        action = self.add_action
        listed = action("list", changes.show_list, "[--json]", "List the accounts", "")
        listed.add_argument("--json", action="store_true", help="one JSON object an account")
        add = action("add", changes.add, "NAME [--role ROLE]", "Add an account", "王芳 --role editor")
        roles = f"{', '.join(Role)} (default: reader; the first account is an admin)"
        add.add_argument("--role", metavar="ROLE", help=roles)
        remove = action("remove", changes.remove, "NAME", "Remove an account, its sessions and tokens", "王芳")
        password = action("password", changes.set_password, "NAME", "Set a password, and end the sessions", "王芳")
        summary = "Print a new API token; it is shown only this once"
        token = action("token", changes.make_token, "NAME [options]", summary, "王芳 --scope read --label notebook")
        token.add_argument("--scope", metavar="SCOPE", default="read", help=f"{', '.join(SCOPES)} (default: read)")
        token.add_argument("--label", metavar="TEXT", default="token", help="what it is for")
        token.add_argument("--days", metavar="N", help="it expires after N days (default: never)")
        for parser in (add, remove, password, token):
            parser.add_argument("name", metavar="NAME", help="letters, figures and . - _ @")
