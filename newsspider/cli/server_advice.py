"""What to do about a store or another server that cannot be used, by what its driver says."""

from __future__ import annotations

import re

# Each line: what the message of the driver, or of newsspider, holds; the command or the change that mends it.
# {file} is the SQLite file, {database}, {user} and {place} are those of the URL, {password} is the password file.
STORE = (
    (
        "newer newsspider",
        "`pip install --upgrade newsspider`, or restore a backup of this version: `scrapy store restore BACKUP`",
    ),
    ("before the first release", "`export NEWSSPIDER_DATABASE_URL=sqlite:////folder/news.db` for a new store"),
    (
        "no SQLite database",
        "`export NEWSSPIDER_DATABASE_URL=sqlite:////folder/news.db`: another file; if {file} was the store, move it"
        " away and `scrapy store restore BACKUP`",
    ),
    (
        "tables of another application",
        "`createdb newsspider` on PostgreSQL, or another file, and name it in DATABASE_URL (NEWSSPIDER_DATABASE_URL)",
    ),
    ("move of .* not finished", "`scrapy store move` again, with the words of the first time"),
    (
        "driver is not installed",
        "`pip install 'psycopg[binary]'`, and write the URL as postgresql://user@host/database",
    ),
    ("it is a folder", "name a file in it: `export NEWSSPIDER_DATABASE_URL=sqlite:///{file}/newsspider.db`"),
    (
        "folder .* of the store",
        "name a folder on a disk of yours in DATABASE_URL, or `chown` this one to the user that crawls",
    ),
    ("may not be written|readonly|unable to open", "`chown` {file} and its folder to the user that crawls"),
    ("is locked", "`fuser -v {file}` names who writes; stop that process, or wait for its end"),
    ("disk is full|No space left", "`scrapy store sizes`, `scrapy store prune`, or a larger disk"),
    ("malformed|corrupt", "stop the crawls, `scrapy store check`, then `scrapy store restore BACKUP`"),
    ("password file .* No such file", "write the password into {password}, or correct password_file= in DATABASE_URL"),
    ("password file .* Permission denied", "`chown` {password} to the user that crawls, and `chmod 600` it"),
    ("password file .* is empty", "write the password into {password}"),
    ("password file", "let {password} be a text file with the password alone, in UTF-8"),
    (
        "password authentication failed|no password supplied|peer authentication failed|ident authentication",
        "correct the user and the password in DATABASE_URL (password_file=FILE); `psql -c '\\password {user}'` sets"
        " another one",
    ),
    ("no pg_hba.conf entry", "allow this machine in pg_hba.conf, then `SELECT pg_reload_conf()`"),
    ("database .* does not exist", "`createdb -O {user} {database}` on the server"),
    ("role .* does not exist", "`createuser --pwprompt {user}` on the server"),
    ("permission denied for", "let {user} own the database: `ALTER DATABASE {database} OWNER TO {user}`"),
    ("too many clients|connection slots", "raise max_connections in postgresql.conf, or start fewer workers"),
    (
        "resolve|translate host name|not known|name resolution",
        "correct the host in DATABASE_URL; `getent hosts {place}` must find it",
    ),
    (
        "refused|No such file or directory",
        "start it: `systemctl start postgresql`; or correct host and port in DATABASE_URL",
    ),
    (
        "time(d )?out|unreachable",
        "see whether a firewall keeps {place} from being reached, and correct the host in DATABASE_URL",
    ),
    ("starting up|shutting down|in recovery", "wait until the server is ready: `pg_isready -h {place}`"),
    ("DATABASE_URL", "`export NEWSSPIDER_DATABASE_URL=sqlite:////folder/news.db`, or postgresql://user@host/database"),
)
STORE_ELSE = "see DATABASE_URL and NEWSSPIDER_DATABASE_URL, and the log of the server"


def store_advice(problem: str, names: dict[str, str]) -> str:
    """What mends a store with this problem; ``names`` are what its URL names.

    >>> store_advice('connection failed: FATAL: database "news" does not exist', {"user": "me", "database": "news"})
    '`createdb -O me news` on the server'
    """
    return advice_in(STORE, STORE_ELSE, problem, names)


def advice_in(table: tuple[tuple[str, str], ...], other: str, problem: str, names: dict[str, str]) -> str:
    """The advice of the first line of this table that fits the problem, or the other one."""
    advice = next((advice for pattern, advice in table if re.search(pattern, problem)), other)
    return re.sub(r"\{(\w+)\}", lambda match: names.get(match[1]) or match[1].upper(), advice)
