#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""check_ledger.py FILE: checks a ledger by what docs/billing.md says, with
nothing in common with the library. The exit status is 1 at the first row that
is wrong."""
import hashlib
import sqlite3
import sys

TARIFF, OPEN, USAGE, ADJUSTMENT = 1, 2, 3, 4
FINAL, RESET = 1, 2
MEMORY, DISK = 2, 3
FIELDS = ("seq kind account domain incarnation meter device flags start_ns "
          "end_ns start_value end_value tariff price_micro price_per carry_in "
          "carry_out amount_micro refers_to note").split()


def sha256(lines):
    return hashlib.sha256("".join(f"{x}\n" for x in lines).encode()).hexdigest()


def money(row, last):
    """The amount and the remainder that a usage row has to have."""
    level = row["meter"] in (MEMORY, DISK)
    used = (row["start_value"] * (row["end_ns"] - row["start_ns"]) if level
            else row["end_value"] - row["start_value"])
    divisor = row["price_per"] * (10**9 if level else 1)
    carry = divisor // 2
    if last["kind"] == USAGE and last["tariff"] == row["tariff"]:
        carry = int(last["carry_out"])
    if not divisor:
        return 0, 0, 0
    return carry, *divmod(used * row["price_micro"] + carry, divisor)


def check_usage(row, last, tariffs):
    assert last and not last["flags"] & FINAL, "not open"
    assert row["account"] == last["account"], "account"
    assert row["start_ns"] == last["end_ns"], "gap in time"
    if row["flags"] & RESET:
        assert row["start_value"] == 0, "reset"
    else:
        assert row["start_value"] == last["end_value"], "gap in readings"
    in_force = [t for t in tariffs if t["effective_from_ns"] <= row["start_ns"]]
    version = in_force[-1]["version"] if in_force else 0
    assert row["tariff"] == version, "tariff"
    prices = in_force[-1]["prices"] if in_force else {}
    price = prices.get(row["meter"], (0, 0))
    assert (row["price_micro"], row["price_per"]) == price, "price"
    assert (int(row["carry_in"]), row["amount_micro"],
            int(row["carry_out"])) == money(row, last), "amount"


def read_tariffs(db):
    tariffs = [dict(t) for t in
               db.execute("SELECT * FROM acct_tariff ORDER BY version")]
    for t in tariffs:
        prices = db.execute("SELECT meter, micro, per FROM acct_price "
                            "WHERE version = ? ORDER BY meter", [t["version"]])
        t["prices"] = {m: (micro, per) for m, micro, per in prices}
    return tariffs


def tariff_hash(t):
    return sha256(["xeno-tariff-1", t["version"], t["name"], t["currency"],
                   t["effective_from_ns"]] +
                  [f"{m} {micro} {per}"
                   for m, (micro, per) in t["prices"].items()])


def main():
    db = sqlite3.connect(sys.argv[1])
    db.row_factory = sqlite3.Row
    name, currency = db.execute(
        "SELECT id, currency FROM acct_ledger").fetchone()
    tariffs = read_tariffs(db)
    previous = sha256(["xeno-ledger-1", name, currency])
    last_of, seq = {}, 0
    for row in db.execute("SELECT * FROM acct_entry ORDER BY seq"):
        try:
            seq += 1
            assert row["seq"] == seq, "missing"
            previous = sha256(["xeno-entry-1", previous] +
                              [row[field] for field in FIELDS])
            assert row["hash"].hex() == previous, "hash"
            source = tuple(row[f] for f in
                           ("domain", "incarnation", "meter", "device"))
            if row["kind"] == TARIFF:
                assert row["note"] == tariff_hash(tariffs[row["tariff"] - 1]), \
                    "published tariff"
            elif row["kind"] == USAGE:
                check_usage(row, last_of.get(source), tariffs)
            last_of[source] = row
        except AssertionError as error:
            sys.exit(f"row {seq}: {error}")
    print(f"{seq} rows, {previous}")


if __name__ == "__main__":
    main()
