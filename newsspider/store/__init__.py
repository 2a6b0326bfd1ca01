"""Where everything is kept: tables, migrations, the ledger, the articles and the one writer."""
