#!/usr/bin/env python3
"""Writes random rules, zones and calendars with what python3-dateutil and zoneinfo make of them.

usage: recurrence_reference.py SEED COUNT

One case a line, fields separated by tabs:
  R  DTSTART  RRULE  FROM  TIMES          local times from FROM on, separated by commas
  U  ZONE  UTC  OFFSET                    seconds since the epoch
  L  ZONE  LOCAL  UTC                     what a local time means; LOCAL counted as if it were UTC
  C  CALENDAR  FROM  TO  WINDOWS          lines of the calendar joined by '|'; BEGIN-END, UTC seconds
"""
import datetime
import random
import sys
import zoneinfo

from dateutil.rrule import rrulestr

UTC = datetime.timezone.utc
DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "America/St_Johns",
         "Africa/Casablanca", "Pacific/Apia", "America/Sao_Paulo", "Europe/Dublin", "Pacific/Chatham"]
TIMES = 25
HORIZON = datetime.datetime(2040, 1, 1)
STAMP = "%Y%m%dT%H%M%S"


def some(rnd, among, most):
    return sorted(rnd.sample(among, rnd.randint(1, most)))


def joined(name, values):
    return name + "=" + ",".join(map(str, values))


def day_list(rnd, frequency, by_month):
    days = []
    for day in rnd.sample(DAYS, rnd.randint(1, 3)):
        if frequency == "MONTHLY" and rnd.random() < .5:
            day = f"{rnd.choice([1, 2, 3, 4, 5, -1, -2])}{day}"
        elif frequency == "YEARLY" and rnd.random() < .5:
            day = f"{rnd.choice([1, 2, 4, -1, -2] if by_month else [1, 9, 30, 53, -1, -10])}{day}"
        days.append(day)
    return days


def random_days(rnd, frequency):
    """Which days: only what comes at all, since dateutil looks up to the year 9999."""
    often = lambda share: rnd.random() < share
    if frequency == "YEARLY" and often(.15):
        return [joined("BYWEEKNO", some(rnd, [*range(1, 53), -1], 3)), joined("BYDAY", rnd.sample(DAYS, 2))]
    if frequency == "YEARLY" and often(.15):
        return [joined("BYYEARDAY", some(rnd, [*range(1, 366), *range(-365, 0)], 4))]
    by = []
    if often(.3):
        by.append(joined("BYMONTH", some(rnd, range(1, 13), 3)))
    if frequency not in ("WEEKLY", "HOURLY") and often(.3):
        most = 28 if by else 31
        by.append(joined("BYMONTHDAY", some(rnd, [*range(1, most + 1), *range(-most, 0)], 3)))
        if often(.3):
            by.append(joined("BYDAY", rnd.sample(DAYS, 3)))
    elif often(.5):
        by.append(joined("BYDAY", day_list(rnd, frequency, by != [])))
    return by


def random_rule(rnd):
    frequency = rnd.choice(["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY"])
    parts = ["FREQ=" + frequency]
    often = lambda share: rnd.random() < share
    if often(.4):
        parts.append(f"INTERVAL={rnd.randint(1, 5)}")
    by = random_days(rnd, frequency)
    if often(.2) and frequency != "HOURLY":
        by.append(joined("BYHOUR", some(rnd, range(24), 3)))
    if often(.1):
        by.append(joined("BYMINUTE", some(rnd, range(60), 2)))
    if by and frequency in ("YEARLY", "MONTHLY", "WEEKLY") and often(.25):
        by.append(joined("BYSETPOS", some(rnd, [1, -1], 2)))
    parts += by
    if often(.2):
        parts.append(f"COUNT={rnd.randint(1, 40)}")
    elif often(.2):
        parts.append(f"UNTIL={rnd.randint(2026, 2032)}{rnd.randint(1, 12):02}15T120000")
    if often(.3):
        parts.append("WKST=" + rnd.choice(DAYS))
    return ";".join(parts)


def times_of(rule, start, end=HORIZON):
    for each in rrulestr(rule, dtstart=start):
        if each >= end:
            return
        yield each


def random_start(rnd):
    return datetime.datetime(rnd.randint(2022, 2026), rnd.randint(1, 12), rnd.randint(1, 28),
                             rnd.randint(0, 23), rnd.choice([0, 15, 30]))


def synchronised(rnd):
    """A rule and a first time that the rule itself gives: what RFC 5545 asks for."""
    while True:
        rule, start = random_rule(rnd), random_start(rnd)
        try:
            first = next(times_of(rule, start), None)
        except ValueError:
            continue
        if first is None:
            continue
        if next(times_of(rule, first), None) == first:
            return rule, first


def rule_case(rnd):
    rule, start = synchronised(rnd)
    begin = start + datetime.timedelta(days=rnd.choice([0, 0, 100, 700]))
    found = []
    for each in times_of(rule, start):
        if each >= begin:
            found.append(each.strftime(STAMP))
        if len(found) == TIMES:
            break
    return ["R", start.strftime(STAMP), rule, begin.strftime(STAMP), ",".join(found)]


def epoch(moment):
    return int(moment.timestamp())


def zone_case(rnd):
    name = rnd.choice(ZONES)
    moment = datetime.datetime.fromtimestamp(rnd.randint(0, 3_900_000_000), UTC)
    offset = moment.astimezone(zoneinfo.ZoneInfo(name)).utcoffset()
    return ["U", name, str(epoch(moment)), str(int(offset.total_seconds()))]


def local_case(rnd):
    """Near a change of the clocks, if there is one within the year."""
    name = rnd.choice(ZONES)
    zone = zoneinfo.ZoneInfo(name)
    at = datetime.datetime(rnd.randint(1990, 2080), 1, 1, tzinfo=UTC)
    changes = []
    for _ in range(365):
        later = at + datetime.timedelta(days=1)
        if at.astimezone(zone).utcoffset() != later.astimezone(zone).utcoffset():
            changes.append(at)
        at = later
    around = rnd.choice(changes) if changes else at
    shown = (around + datetime.timedelta(minutes=rnd.randint(-60, 1500))).astimezone(zone)
    shown = shown.replace(tzinfo=None) + datetime.timedelta(minutes=rnd.randint(-90, 90))
    return ["L", name, str(epoch(shown.replace(tzinfo=UTC))), str(epoch(shown.replace(tzinfo=zone, fold=0)))]


def merged(spans):
    out = []
    for begin, end in sorted(spans):
        if out and begin <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([begin, end])
    return out


def calendar_case(rnd):
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//golden//EN"]
    low = datetime.datetime(2026, rnd.randint(1, 12), 1, tzinfo=UTC)
    high = low + datetime.timedelta(days=rnd.randint(1, 60))
    spans = []
    for number in range(rnd.randint(1, 3)):
        name = rnd.choice(ZONES)
        zone = zoneinfo.ZoneInfo(name)
        rule, start = synchronised(rnd)
        hours = rnd.randint(1, 9)
        lines += ["BEGIN:VEVENT", f"UID:{number}", f"DTSTART;TZID={name}:{start.strftime(STAMP)}",
                  f"DURATION:PT{hours}H", f"RRULE:{rule}"]
        far = low.replace(tzinfo=None) + datetime.timedelta(days=90)
        begins = [t for t in times_of(rule, start, far) if t > far - datetime.timedelta(days=180)]
        dropped = rnd.sample(begins, min(len(begins), rnd.randint(0, 2)))
        lines += [f"EXDATE;TZID={name}:{t.strftime(STAMP)}" for t in dropped] + ["END:VEVENT"]
        # The clocks may show one time twice and another never, so two times can be one moment.
        out = {epoch(t.replace(tzinfo=zone)) for t in dropped}
        spans += [(b, b + hours * 3600) for t in begins if (b := epoch(t.replace(tzinfo=zone))) not in out]
    lines.append("END:VCALENDAR")
    low, high = epoch(low), epoch(high)
    shown = [f"{b}-{e}" for b, e in merged(spans) if b < high and e > low]
    if any(e - b > 40 * 86400 for b, e in merged(spans)):
        return None  # longer than what this reference looks at
    return ["C", "|".join(lines), str(low), str(high), ",".join(shown)]


def main():
    rnd = random.Random(int(sys.argv[1]))
    makers = [rule_case] * 6 + [zone_case, local_case] * 2 + [calendar_case] * 3
    written = 0
    while written < int(sys.argv[2]):
        case = rnd.choice(makers)(rnd)
        if case is None:
            continue
        print("\t".join(case))
        written += 1


main()
