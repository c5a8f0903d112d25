"""Rules for the texts that people read: strings of the programs and the UI, log messages, links in docs.

Used by tools/tidy.py. The wording rules are in CONTRIBUTING.md; this finds the worst patterns only.
"""
import re

# Pattern -> what to write instead. A text names its object and uses the verbs of the trade.
TEXT_BANS = {
    r"\b(nobody|somebody|whoever|anybody)\b": "name the user, system or server",
    r"\bwho (came|comes|goes|asks|gives|makes|was|were|has|have|is|are|may)\b": "begin with the noun",
    r"\b[Tt]here is (no|none|already|a|an)\b": 'write `X "name" not found` or `already exists`',
    r"\b(is|are|was|were) (told|asked)\b": "write reported, logged, sent or requested",
    r"\btold of\b": "write reported",
    r"\b(take|takes|taken|took) in\b": "write accept",
    r"\b(let|lets) (in|go)\b": "write accept, allow or release",
    r"\b(give|gives|given|gave) up\b": "write abandoned, suspended or evicted",
    r"\bso (many|long|often)\b": "give the number or name the limit",
    r"\bagain and again\b": "write recurring or repeatedly",
    r"\bHow (often|long|many|much)\b": "begin with a noun: interval, duration, maximum",
    r"^(Whether|Where|Whose|What) (?!if\b)": "begin with a noun",
    r"\bnot taken\b": "write rejected or failed",
    r"\bcame and went\b|\bgoes hungry\b|\bgoes on\b": "say what happens",
    r"\bheard of\b": "write last seen or active",
    r"\bis meant\b|\bare meant\b": "write matches or selects",
    r"\bdid you mean\b": "not a question: `; closest match: \"x\"`",
}
# Stored words and words of interfaces that a text may quote.
KEPT = ("nobody, canaries or everybody",)
KEPT_WHOLE = {"nobody"}
# Not for people: SQL, code of other languages.
NOT_TEXT = re.compile(r"\b(SELECT|UPDATE|DELETE FROM|INSERT INTO|WHERE)\b|^\s*#")

LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*)"')
LOG_CALL = re.compile(r'\blog\w*(?:\(\))?(?:\.|->)(?:debug|info|warning|error)\(\s*"((?:\\.|[^"\\])*)"')
JSX_TEXT = re.compile(r">([^<>{}\n]*[a-z][^<>{}\n]*)<|^\s{4,}([A-Z][^<>{}=;()\n]*[a-z.])$", re.M)
WEB_LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`')


def banned(text):
    """Why a text is refused, or None."""
    if text in KEPT_WHOLE or any(kept in text for kept in KEPT) or NOT_TEXT.search(text):
        return None
    if " " not in text.strip():
        return None
    for pattern, advice in TEXT_BANS.items():
        # A question word is bad at the beginning of a text only, where it has a capital letter.
        flags = 0 if "How" in pattern or pattern.startswith("^") else re.I
        if match := re.search(pattern, text, flags):
            return f'text "{match[0].strip()}": {advice}'
    return None


def source_findings(code):
    """Offset and problem of each bad string of a C++ file without comments."""
    for match in LITERAL.finditer(code):
        if why := banned(match[1]):
            yield match.start(), why
    for match in LOG_CALL.finditer(code):
        message = match[1]
        if message[:1].isupper() and not message[:2].isupper():
            yield match.start(1), "a log message begins in lower case"
        if message.endswith("."):
            yield match.start(1), "a log message has no full stop"


def web_findings(text):
    """The same for a file of the UI."""
    code = re.sub(r"^\s*(//|\*|/\*).*$|(?<=[\s;,{])//.*$", lambda match: " " * len(match[0]), text, flags=re.M)
    for pattern in (WEB_LITERAL, JSX_TEXT):
        for match in pattern.finditer(code):
            if why := banned(next(group for group in match.groups() if group is not None)):
                yield match.start(), why


def anchor(heading):
    """The anchor that forges give a heading."""
    plain = re.sub(r"[`*_]|\[([^\]]*)\]\([^)]*\)", lambda match: match[1] or "", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def anchors_of(text):
    return {anchor(heading) for heading in re.findall(r"^#+ (.*)$", text, flags=re.M)}


def link_findings(path, text):
    """Offset and problem of each link of a Markdown file that leads nowhere."""
    prose = re.sub(r"```.*?```", lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.S)
    for match in re.finditer(r"!?\[[^\]]*\]\(([^)\s]+)\)", prose):
        target, _, fragment = match[1].partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        page = path.parent / target if target else path
        if not page.exists():
            yield match.start(), f"link to {match[1]}: no such file"
        elif fragment and page.suffix == ".md" and fragment not in anchors_of(page.read_text()):
            yield match.start(), f"link to {match[1]}: no such heading"
