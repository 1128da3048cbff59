"""What a question asks for: the names in it, and its shape. Pure; nothing is looked up here.

Names are kept as the user wrote them: the resolving tools know what they stand for.
"""

import re
import unicodedata
from dataclasses import replace

from chat.providers.planner import wording
from chat.providers.planner.shapes import Question, Shape, shape_of
from mcp_server.identifiers import find_in_text

_MARKER = re.compile(
    rf"(?i)(?<![\w-])(?P<gene>[a-z][a-z0-9/]*(?:-\d+)?)(?:(?:[\s-]+(?P<change>[a-z]\d{{2,5}}[a-z]))?"
    rf"[\s-]+(?P<state>{wording.MARKER_STATES})(?![\w-])|(?P<plus>\+)(?=[\s,.;]))"
)
_NOT_MARKERS = {"receptor", "hormone", "triple", "node", "double", "estrogen", "oestrogen", "progesterone", "lymph"}
_TOKEN = re.compile(r"[A-Za-z0-9][\w'+/-]*")
MODIFIERS_MAX = 4


def recognise(text: str) -> Question:
    """Read a question."""
    plain = _plain(text)
    found = tuple((item.kind, item.value, item.start, item.end) for item in find_in_text(plain))
    identifiers = tuple((kind, value) for kind, value, _, _ in found)
    rest = _blanked(plain, [(start, end) for _, _, start, end in found])
    marked, marker = _marker(rest)
    variants, spans = _variants(rest)
    genes = _genes(_blanked(rest, spans), rest, marked)
    diseases = _diseases(_blanked(rest, spans), genes)
    tasks = frozenset(name for name, words in wording.TASKS.items() if re.search(rf"(?i)\b(?:{words})\b", plain))
    alleles = tuple(value for kind, value in identifiers if kind == "star_allele")
    bare = tuple(dict.fromkeys(wording.BARE_ALLELE.findall(rest)))
    excluded, genes = _set_aside(plain, genes)
    genes = tuple(dict.fromkeys([*genes, *(allele.partition("*")[0] for allele in alleles)]))
    alleles = tuple(dict.fromkeys([*alleles, *_with_gene(rest, genes)]))
    hgvs = [value for kind, value in identifiers if kind in ("hgvs", "rsid", "clinvar_variation")]
    hgvs += wording.GENOMIC_CHANGE.findall(plain)
    question = Question(
        text=text,
        shape=Shape.UNSUPPORTED,
        genes=genes,
        diseases=diseases,
        drugs=_drugs(rest, (*genes, *excluded), diseases),
        variants=(*variants, *hgvs),
        alleles=alleles,
        identifiers=identifiers,
        marker=marker,
        tasks=tasks,
        damaged_cells=tuple(wording.SPREADSHEET_DATE.findall(plain)),
        excluded=excluded,
        bare_alleles=bare,
        types=tuple(dict.fromkeys(wording.DISEASE_TYPE.findall(plain))),
    )
    return replace(question, shape=shape_of(question))


def _set_aside(text: str, genes: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the genes that the question sets aside ("apart from VKORC1"), and the others."""
    spans = " ".join(match[1] for match in wording.SET_ASIDE.finditer(text))
    aside = tuple(gene for gene in genes if re.search(rf"(?<![\w-]){re.escape(gene)}(?![\w-])", spans))
    return aside, tuple(gene for gene in genes if gene not in aside)


def _with_gene(text: str, genes: tuple[str, ...]) -> list[str]:
    """Return the alleles that are named without a gene, each with the gene that was named last before it."""
    if not genes:
        return []
    found, gene = [], genes[0]
    named = "|".join(re.escape(name) for name in sorted(genes, key=len, reverse=True))
    for match in re.finditer(rf"(?<![\w-])(?P<gene>{named})(?![\w-])|{wording.BARE_ALLELE.pattern}", text):
        if match["gene"]:
            gene = match["gene"]
        else:
            found.append(f"{gene.upper()}{match[0].upper()}")
    return found


def _plain(text: str) -> str:
    """Return the text with plain dashes and quotes and single blanks."""
    plain = unicodedata.normalize("NFKC", text)
    plain = re.sub("[\u2010-\u2015\u2212]", "-", plain).replace("\u2019", "'")
    return " ".join(plain.split())


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    """Return the text with spans overwritten, so that they are not read a second time."""
    for start, end in spans:
        text = text[:start] + "|" * (end - start) + text[end:]
    return text


def _marker(text: str) -> tuple[str, str]:
    """Return the gene of a biomarker phrase and its state: "HER2-positive" gives HER2 and positive."""
    for match in _MARKER.finditer(text):
        gene = match["gene"]
        is_word = gene.lower() in wording.BREAKS or gene.lower() in _NOT_MARKERS
        if not is_word and gene.upper() not in wording.NOT_GENES and (not match["plus"] or gene.upper() == gene):
            return gene, (match["state"] or "positive").lower()
    return "", ""


def _variants(text: str) -> tuple[tuple[str, ...], list[tuple[int, int]]]:
    """Return protein changes in one-letter form, and where they stand."""
    changes, spans = [], []
    for match in wording.PROTEIN_CHANGE.finditer(text):
        changes.append(one_letter_form(match[0]))
        spans.append(match.span())
    return tuple(dict.fromkeys(changes)), spans


def one_letter_form(change: str) -> str:
    """Return a protein change as `V600E`, whatever its spelling."""
    bare = change.removeprefix("p.").strip("()")
    parts = re.fullmatch(r"([A-Za-z]+)(\d+)([A-Za-z*]+)", bare)
    if parts is None:
        return bare
    before, place, after = parts.groups()
    return "".join((_amino_acid(before), place, _amino_acid(after)))


def _amino_acid(name: str) -> str:
    known = wording.AMINO_ACIDS.get(name.lower())
    if known:
        return known
    return name.upper().replace("X", "*")


def _genes(text: str, whole: str, marked: str) -> tuple[str, ...]:
    """Return the gene names: the biomarker first, then those by form, then words before a protein change."""
    by_form = [match[0] for match in wording.GENE.finditer(text) if _is_gene(match[0], text)]
    before = [
        match[1]
        for match in re.finditer(r"([A-Za-z][A-Za-z0-9]{1,9})[\s:-]+(\S+)", whole)
        if wording.PROTEIN_CHANGE.match(match[2]) and match[1].lower() not in wording.BREAKS
    ]
    names = [marked] if marked else []
    names += [name for name in [*before, *by_form] if name.upper() not in wording.NOT_GENES]
    unique = {name.upper(): name for name in reversed(names)}
    return tuple(unique[key] for key in dict.fromkeys(name.upper() for name in names))


def _is_gene(word: str, text: str) -> bool:
    shouted = text.upper() == text and not any(character.isdigit() for character in word)
    excluded = word.upper() in wording.NOT_GENES or word.upper() in wording.DISEASE_ABBREVIATIONS
    return not (shouted or excluded or wording.NUMBERED_WORDS.match(word) or wording.DRUG_CODE.fullmatch(word))


def _diseases(text: str, genes: tuple[str, ...]) -> tuple[str, ...]:
    """Return disease phrases: a head word with the words before it that belong to its name."""
    tokens = list(_TOKEN.finditer(text))
    phrases = []
    for position, token in enumerate(tokens):
        spelled = wording.DISEASE_ABBREVIATIONS.get(token[0])
        if spelled:
            phrases.append(spelled)
        elif wording.DISEASE_HEAD.match(token[0]) and token[0].lower() not in wording.NOT_DISEASES:
            first = _phrase_start(text, tokens, position, genes)
            if first < position or not wording.GENERIC_DISEASES.match(token[0]):
                tail = wording.DISEASE_TAIL.match(text, token.end())
                phrases.append(text[tokens[first].start() : tail.end() if tail else token.end()])
    return tuple(dict.fromkeys(phrases))


def _phrase_start(text: str, tokens: list[re.Match[str]], head: int, genes: tuple[str, ...]) -> int:
    first = head
    while first > 0 and head - first < MODIFIERS_MAX:
        word = tokens[first - 1][0]
        gap = text[tokens[first - 1].end() : tokens[first].start()]
        named = any(re.match(rf"(?i){re.escape(gene)}(?![A-Za-z0-9])", word) for gene in genes)
        if gap.strip() or named or word.lower() in wording.BREAKS or wording.DISEASE_HEAD.match(word):
            break
        first -= 1
    return first


def _drugs(text: str, genes: tuple[str, ...], diseases: tuple[str, ...]) -> tuple[str, ...]:
    """Return drug names: by their stem or code, else unknown words where a drug's name would stand."""
    taken = {word.lower() for name in (*genes, *diseases) for word in re.split(r"[\s-]+", name)}
    words = [match[0] for match in re.finditer(r"[A-Za-z][A-Za-z-]{4,}", text)]
    by_form = [word for word in words if wording.DRUG_STEM.match(word) and word.lower() not in taken]
    by_form += [match[0] for match in wording.DRUG_CODE.finditer(text)]
    if by_form or diseases:
        return tuple(dict.fromkeys(by_form))
    places = list(wording.DRUG_PLACES)
    if genes:
        named = "|".join(re.escape(gene) for gene in genes)
        places += [pattern.replace("GENE", f"(?:{named})") for pattern in wording.DRUG_PLACES_BY_GENE]
    by_place = (match["word"] for pattern in places for match in re.finditer(pattern, text))
    return tuple([word for word in by_place if _is_unknown_word(word, taken)][:1])


def _is_unknown_word(word: str, taken: set[str]) -> bool:
    lowered = word.lower()
    known = lowered in wording.NOT_DRUGS or lowered in taken or wording.DISEASE_HEAD.match(word)
    return not known and word.upper() not in wording.NOT_GENES and word[1:] == word[1:].lower()
