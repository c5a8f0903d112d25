#!/usr/bin/env python3
"""Asks Salt's own matchers and writes what they answer: the reference of muster's compound matcher.

usage: compound_reference.py CASES SEED COUNT > compound_salt.tsv

Needs Salt beside this Python (ask_salt.sh sees to it). CASES is src/core/targeting/compound.cases.
One record a line, fields separated by tabs:
  V  SALT  SEED  COUNT                    the version that was asked, and how to write the same again
  S  NAME  GRAINS                         a system, its grains in JSON
  G  NAME  DEFINITION                     a group (nodegroup)
  C  ANSWER  EXPRESSION                   an expression of CASES, asked of the system there
  E  ANSWERS  EXPRESSION                  a random one, asked of every S in turn
  T  ANSWERS  TYPE  EXPRESSION            the same of a matcher that is not compound, by the name of its type
An answer is 1 or 0 for each system; a ! behind them says that Salt complained of the expression.
"""
import json
import logging
import random
import re
import sys

import salt.config
import salt.loader
import salt.version

SYSTEMS = {
    "web1": {
        "os": "Ubuntu", "osrelease": "22.04", "num_cpus": 4, "load": 12.5, "container": False,
        "roles": ["web", "Frontend"], "url": "http://a:80", "serial": "AB-17", "spare": None,
        "ec2": {"region": "eu-west-1", "tags": {"role": "shop:web", "Team": "Blue"}},
        "disks": [{"model": "Fast", "size": 10}, {"model": "slow", "size": 20}],
        "ipv4": ["10.1.2.3", "127.0.0.1"], "ipv6": ["2001:db8::7", "::1"]},
    "web12.acme.org": {
        "os": "Debian", "osrelease": "12", "num_cpus": 16, "load": 0.25, "container": True,
        "roles": ["web"], "url": "http://b", "serial": "ab-18",
        "ec2": {"region": "us-east-1", "tags": {"role": "web"}},
        "ipv4": ["10.1.255.255", "192.168.7.1"], "ipv6": ["fe80::1"]},
    "db-2.lab": {
        "os": "SLES", "osrelease": "15.5", "num_cpus": 4, "roles": ["db", "cache", "DB-primary"],
        "serial": "[x]*y", "disks": [{"model": "slow", "size": 10}], "ec2": {"region": "local"},
        "ipv4": ["10.2.0.1"]},
    "DB2": {"os": "Alpine", "roles": "db", "ipv6": ["2001:db8:1::1"], "ipv4": []},
}
# Each as if it stood in parentheses: that Salt splices others is a case of compound.cases.
GROUPS = {
    "one": "web1", "names": "web1 DB2", "shapes": "( E@web\\d+ or E@DB )", "globs": "( web* or *lab )",
    "dbs": "( G@roles:db or G@roles:cache )", "both": "N@globs and not N@dbs", "deep": "N@both or N@names",
    "not": "( not web1 )",
}
NAMES = [*SYSTEMS, "web2", "db-2", "DB2.lab", "nobody"]
COMPLAINTS = ("Invalid compound target", "Invalid beginning operator", "Unrecognized target engine",
              "Invalid IP/CIDR", "Invalid regex")
OPERATORS = ("and", "or", "not", "(", ")")


class Complaints(logging.Handler):
    """Whether Salt had to say something since it was asked."""
    heard = False

    def emit(self, record):
        self.heard = self.heard or record.getMessage().startswith(COMPLAINTS)


class Minion:
    def __init__(self, name, grains, groups):
        self.opts = salt.config.DEFAULT_MINION_OPTS.copy()
        self.opts.update(id=name, grains=grains, pillar={}, nodegroups=groups)
        self.matchers = salt.loader.matchers(self.opts)

    def meets(self, kind, expression):
        if kind == "nodegroup":  # Salt spells `-N web` as a compound expression before it asks anybody
            kind, expression = "compound", "N@" + expression
        return bool(self.matchers[kind + "_match.match"](expression, opts=self.opts))


def answers(minions, heard, kind, expression):
    told = ""
    heard.heard = False
    for each in minions:
        try:
            told += str(int(each.meets(kind, expression)))
        except Exception:  # what a minion would report instead of an answer
            told += "0"
            heard.heard = True
    return told + ("!" if heard.heard else "")


def leaves(data, path=()):
    """Every path to a value or a key, and what stands there as a text."""
    if isinstance(data, dict):
        for key, value in data.items():
            if path:
                yield path, key
            yield from leaves(value, (*path, key))
    elif isinstance(data, list):
        for value in data:
            yield from leaves(value, path)
    else:
        yield path, str(data)


LEAVES = sorted({leaf for grains in SYSTEMS.values() for leaf in leaves(grains)})
# A leading `*:` looks one level deep in Salt and on every level here: only what is the same in both.
ANYWHERE = ["*:region", "*:tags", "*:os", "*:os:debian", "*:nosuch", "ec2:*:role", "ec2:*:Team:blue",
            "*:region:eu-west-1", "*:ubuntu", "*:frontend", "ec2:*:tags"]
V4 = ["10.1.2.3", "10.1.0.0/16", "10.0.0.0/8", "0.0.0.0/0", "127.0.0.1", "10.2.0.1/32", "9.9.9.9"]
V6 = ["2001:db8::/32", "2001:db8::7", "::/0", "fe80::/10", "2001:DB8:0::7", "2001:db8:1::/48"]
NO_ADDRESS = ["10.1.2.300", "10.1.2.3/8", "10.0.0.0/40", "web1", "2001:::1"]
ENGINES = {"pcre": "E@", "list": "L@", "grain": "G@", "grain_pcre": "P@", "ipcidr": "S@", "nodegroup": "N@"}


def any_case(rnd, text):
    return "".join(rnd.choice((each.lower(), each.upper(), each, each)) for each in text)


def as_set(rnd, letter):
    kind = rnd.randrange(7)
    if kind == 0:
        return f"[{letter}x]" if letter != "]" else "[]x]"
    if kind == 1:
        return f"[!{letter}]"
    if kind == 2:
        return "[a-z]"
    if kind == 3:
        return "[0-9-]"
    if kind == 4:
        return f"[^{letter}]"
    return rnd.choice(["[z-a]", "[!q]", "[!z-a]", "[", "[]", "[a-c-e]"])


def globbed(rnd, text):
    made = ""
    for each in text:
        chance = rnd.random()
        made += as_set(rnd, each) if chance < .05 else "?" if chance < .1 else "*" if chance < .15 else each
    if rnd.random() < .3:
        cut = rnd.randrange(len(text) + 1)
        made = rnd.choice((text[:cut] + "*", "*" + text[cut:], "*" + text[cut:cut + 3] + "*"))
    return made or "*"


def regular(rnd, text):
    """A regular expression that has something to do with the text. Small letters behind each backslash: Salt makes
    small ones of all others."""
    made = rnd.choice(("", "", "^"))
    for each in text:
        chance = rnd.random()
        if chance < .06:
            made += "."
        elif chance < .1:
            made += rnd.choice((".*", "[a-z]+", "\\d*", "\\w?", "(?:x|" + re.escape(each) + ")", "\\s?"))
        elif chance < .13:
            made += re.escape(each) + rnd.choice("?+*") + rnd.choice(("", "?"))
        else:
            made += re.escape(each)
    if rnd.random() < .3:
        made = f"({made}|{rnd.choice(('db', 'web', 'nobody'))})"
    if rnd.random() < .3:
        made = made[:rnd.randrange(1, len(made) + 1)]
    return made + rnd.choice(("", "", "$"))


def by_path(rnd, engine):
    path, value = rnd.choice(LEAVES)
    if engine == "G" and rnd.random() < .08:
        return "G@" + rnd.choice(ANYWHERE)
    # Without any path a regular expression is only wrong, and only to muster.
    if rnd.random() < .1 and (engine == "G" or len(path) > 1):
        path = path[:-1]
    if rnd.random() < .1:
        path = (*path, rnd.choice(("nosuch", "role", "os")))
    if rnd.random() < .15:
        value = rnd.choice(LEAVES)[1]
    value = any_case(rnd, value)
    if path == ("disks",):
        return engine + "@disks:model"  # Salt also looks at the text that Python writes of a dictionary
    if rnd.random() < .6:
        value = globbed(rnd, value) if engine == "G" else regular(rnd, value)
    elif engine == "P":
        value = re.escape(value)
    # With another delimiter Salt looks at the first dictionary of a list only.
    delimiter = rnd.choice("|!;,/@") if rnd.random() < .2 and "disks" not in path else ":"
    return engine + (delimiter if delimiter != ":" else "") + "@" + delimiter.join((*path, value))


def address(rnd):
    return "S@" + rnd.choice(V4 if rnd.random() < .5 else V6 if rnd.random() < .8 else NO_ADDRESS)


def term(rnd):
    kind = rnd.random()
    if kind < .25:
        return globbed(rnd, rnd.choice(NAMES)) if rnd.random() < .8 else rnd.choice(NAMES)
    if kind < .36:
        return "E@" + regular(rnd, rnd.choice(NAMES))
    if kind < .44:
        return "L@" + ",".join(rnd.choice(NAMES) for _ in range(rnd.randint(1, 3)))
    if kind < .5:
        return address(rnd)
    if kind < .56:
        return "N@" + rnd.choice(list(GROUPS))
    if kind < .58:
        return rnd.choice(("I@role:web", "J@role:w.*", "I@a:*"))
    return by_path(rnd, "G" if kind < .82 else "P")


def expression(rnd, depth):
    if depth == 0 or rnd.random() < .25:
        return [term(rnd)]
    kind = rnd.randrange(6)
    if kind == 0:
        return ["not", *operand(rnd, depth)]
    if kind == 1:
        return ["(", *expression(rnd, depth - 1), ")"]
    if kind == 2:
        return [*operand(rnd, depth), "not", *operand(rnd, depth)]
    return [*expression(rnd, depth - 1), rnd.choice(("and", "or")), *expression(rnd, depth - 1)]


def operand(rnd, depth):
    return ["(", *expression(rnd, depth - 1), ")"] if rnd.random() < .5 else [term(rnd)]


def harmed(rnd, words):
    """The words with a mistake in them, mostly."""
    words = list(words)
    at = rnd.randrange(len(words))
    if rnd.random() < .4:
        del words[at]
    else:
        words.insert(at, rnd.choice((*OPERATORS, "web1", "AND", "(web1")))
    return words


def is_fair(words):
    """Without what only muster refuses: Salt makes a call of an operand before a parenthesis, also before
    that of a group, which fails if it gets so far, and finds nothing wrong with nothing in parentheses."""
    pairs = list(zip(words, words[1:]))
    opens = lambda word: word == "(" or word.startswith("N@")
    ends = lambda word: word == ")" or word not in OPERATORS
    return bool(words) and ("(", ")") not in pairs and not any(opens(b) and ends(a) for a, b in pairs)


def random_words(rnd):
    while True:
        words = expression(rnd, rnd.randint(0, 3))
        if rnd.random() < .12:
            words = harmed(rnd, words)
        text = " ".join(words)
        if is_fair(words) and text == " ".join(text.split()) and all(is_known(each) for each in words):
            return text


def is_known(word):
    """Neither like an engine that is none, nor like one of muster's own fields."""
    if re.match("[A-Z]@.", word):
        return word[0] in "GPIJLNSE"
    return ":" not in word or re.match("[GPIJ].?@|S@", word) is not None


def single(rnd):
    kind = rnd.choice(("glob", *ENGINES))
    wanted = ENGINES.get(kind)
    while True:
        made = term(rnd)
        if wanted is None and not re.match(".{1,2}@|.*:", made):
            return kind, made
        if wanted is not None and made.startswith(wanted) and made[2] != "@":
            return kind, made[2:]


def read_cases(path):
    """The grains and groups of the one system there, and the expressions."""
    grains, groups, cases = {}, {}, []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            verb, _, rest = line.rstrip("\n").partition(" ")
            first, _, more = rest.partition(" ")
            if verb == "fact":
                add_grain(grains, first.split("."), more)
            elif verb == "group":
                groups[first] = more
            elif verb in ("yes", "no"):
                cases.append(rest)
            elif verb == "bad":
                cases.append(more)
    return grains, groups, cases


def add_grain(grains, path, value):
    for each in path[:-1]:
        grains = grains.setdefault(each, {})
    known = grains.get(path[-1])
    if known is None:
        grains[path[-1]] = value
    else:
        grains[path[-1]] = [*known, value] if isinstance(known, list) else [known, value]


def main():
    path, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    heard = Complaints()
    logging.getLogger().handlers = [heard]
    rnd = random.Random(seed)
    out = lambda *fields: print("\t".join(map(str, fields)))
    out("V", salt.version.__version__, seed, count)
    grains, groups, cases = read_cases(path)
    asked = [Minion("web1", grains, groups)]
    for each in cases:
        out("C", answers(asked, heard, "compound", each), each)
    for name, told in SYSTEMS.items():
        out("S", name, json.dumps(told))
    for name, definition in GROUPS.items():
        out("G", name, definition)
    asked = [Minion(name, told, GROUPS) for name, told in SYSTEMS.items()]
    for number in range(count):
        if number % 8 == 0:
            kind, each = single(rnd)
            out("T", answers(asked, heard, kind, each), kind, each)
        else:
            each = random_words(rnd)
            out("E", answers(asked, heard, "compound", each), each)


main()
