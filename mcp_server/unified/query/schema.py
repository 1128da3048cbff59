"""What the language offers, for whoever writes queries: fields, values, operators, domains, examples."""

from mcp_server.unified.query import params, parser, value_parser
from mcp_server.unified.query.branches import BRANCHES_MAX
from mcp_server.unified.query.dates import FORMS as DATE_FORMS
from mcp_server.unified.query.errors import Json
from mcp_server.unified.query.fields import FIELDS, PLURALS, Field
from mcp_server.unified.query.plan import DOMAINS, TOOLS
from mcp_server.unified.query.trial_values import PHASE_FORMS
from mcp_server.unified.query.variant_names import FORMS as VARIANT_FORMS

EXAMPLES: tuple[tuple[str, str], ...] = (
    ("gene:BRAF AND disease:melanoma", "articles, trials, variants and the cards of gene and disease"),
    ("gene:EGFR AND drug:osimertinib AND phase:2..3", "the same with a drug, trials of phase 2 or 3 only"),
    ("trials.condition:NSCLC AND near:41.4993,-81.6944,50mi AND status:open", "open trials within 50 miles"),
    ("variants.gene:BRCA1 AND significance:pathogenic AND variants.frequency:<0.01", "rare pathogenic variants"),
    ('articles.author:"Flaherty KT" AND articles.journal:nature AND year:>=2015', "articles by author and journal"),
    ("gene:PTEN AND (R173 OR Arg173 OR 'position 173') NOT disease:autism", "words, alternatives, what to leave out"),
)

_TYPES: dict[str, str] = {
    "text": "words; several words in quotes, or as they are where the field is a phrase: disease:lung cancer",
    "gene": "symbol, alias, Entrez number or ENSG id",
    "variant": VARIANT_FORMS,
    "date": DATE_FORMS,
    "phase": f"{PHASE_FORMS}; 1/2 means both labels on one trial",
    "status": "open, closed, any, or the registry's words",
    "number": "0.01, 1e-3, 1%; with >=, <=, >, <, or as a range 0.001..0.01",
    "place": "lat,long[,distance], e.g. 41.4993,-81.6944,50mi or …,80km; or a city: near:Cleveland, OH",
    "enum": "one of the allowed words; case, blank, _ and - make no difference",
    "boolean": "true or false",
    "identifier": "the id as its database writes it",
    "region": "chromosome:start-end",
    "age": "years: 18, >=65, 18..40; or child, adult, older",
}

_OPERATORS: dict[str, str] = {
    "AND, &&, or nothing between two parts": "both must hold",
    "OR, ||": "either must hold; inside one field also gene:(BRAF OR NRAS), gene:(BRAF, NRAS), gene:BRAF|NRAS",
    "NOT, -, !": "must not hold; stands directly before what it excludes",
    "( )": "group; NOT binds before AND, AND before OR",
    "\" \" or ' '": "keep words together, or take and, or, not as words",
    ">= <= > < =": "for dates, numbers, phases and ages",
    "a..b": "a range, both ends included; one end may be missing",
}


def schema() -> dict[str, Json]:
    """Return fields, types, operators, allowed values, domains, limits and six examples as JSON."""
    return {
        "domains": {domain: {"prefix": f"{PLURALS[domain]}.", "tools": list(TOOLS[domain])} for domain in DOMAINS},
        "fields": [_field(one) for one in FIELDS],
        "types": dict(_TYPES),
        "operators": dict(_OPERATORS),
        "limits": {
            "characters": parser.LENGTH_MAX,
            "clauses": parser.CLAUSES_MAX,
            "nesting": parser.DEPTH_MAX,
            "values_in_a_list": value_parser.VALUES_MAX,
            "alternatives": BRANCHES_MAX,
            "searches_a_domain": params.CALLS_MAX,
        },
        "examples": [{"query": query, "finds": finds} for query, finds in EXAMPLES],
    }


def _field(one: Field) -> dict[str, Json]:
    """Return one field; `starts` and `narrows` are the domains that it searches and those that it restricts."""
    shown: dict[str, Json] = {
        "field": one.key,
        "aliases": list(one.aliases),
        "type": one.type,
        "starts": [domain for domain, reach in one.reach.items() if reach.mode == "A" and not one.is_weak],
        "narrows": [domain for domain, reach in one.reach.items() if reach.mode == "C" or one.is_weak],
        "example": one.example,
    }
    if one.is_phrase:
        shown["is_phrase"] = True
    if one.allowed and one.type != "variant":
        shown["allowed"] = list(one.allowed)
    if one.limits:
        shown["limits"] = list(one.limits)
    if one.needs_comparison:
        shown["needs_comparison"] = True
    return shown
