"""The words and patterns by which a question is read. Language only: no fact about a gene, drug or disease.

Names are found by their form and place in the sentence; what they stand for, the databases say.
"""

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Capital words of the trade that look like gene symbols.
NOT_GENES = _words(
    """
    DNA RNA MRNA CDNA SNP SNPS SNV CNV PGX PK PD ADME ADR FDA EMA NICE WHO CPIC DPWG CPNDS NIH NCI NCBI EBI ID IDS
    TKI TKIS ADC ADCS MOA API USA UK EU HGVS HGNC OMIM MONDO EFO MESH ENSG ENSEMBL UNIPROT CHEMBL CLINVAR DBSNP PMID
    PMIDS DOI NCT PUBMED REACTOME CLINPGX PHARMGKB PUBCHEM CID BURP AND OR NOT THE WHAT WHICH HOW WITH FOR ARE IS IN OF
    VUS GWAS CAR PCR NGS LLM AI OK II III IV VI COVID SARS HIV HCV HBV PMC RCV VCV SCV DOID ICD ICD-9 ICD-10 ICD-11
    """
)

# Abbreviations of diseases, spelled out for the look-up.
DISEASE_ABBREVIATIONS = {
    "NSCLC": "non-small cell lung cancer",
    "SCLC": "small cell lung cancer",
    "AML": "acute myeloid leukemia",
    "CML": "chronic myeloid leukemia",
    "CLL": "chronic lymphocytic leukemia",
    "HCC": "hepatocellular carcinoma",
    "CRC": "colorectal cancer",
    "GBM": "glioblastoma",
    "GIST": "gastrointestinal stromal tumor",
    "COPD": "chronic obstructive pulmonary disease",
    "ALS": "amyotrophic lateral sclerosis",
    "T2D": "type 2 diabetes mellitus",
}

# Interventions of a trial that are measured or compared, not tested.
NOT_TESTED = re.compile(
    r"(?i)biospecimen|tomograph|imaging|resonance|scan\b|echocardiogra|biopsy|questionnaire|survey|placebo|assessment"
)
# By which CPIC names patients.
CPIC_ABBREVIATIONS = {
    "CVI": "cardiovascular indications",
    "ACS": "acute coronary syndrome",
    "PCI": "percutaneous coronary intervention",
    "NVI": "neurovascular indications",
}

# What may stand between a biomarker and its disease: "HER2-positive breast cancer", "EGFR mutant NSCLC".
MARKER_STATES = (
    r"positive|negative|mutant|mutated|mutation[- ]positive|amplified|overexpress\w+|driven|rearranged|"
    r"translocated|altered|deficient|fusion[- ]positive|low"
)
MUTATED_STATES = ("mut", "alter", "fusion", "rearr", "transloc")

DISEASE_HEAD = re.compile(
    r"""(?ix)^(?:
        cancers? | tumou?rs? | neoplasms? | malignanc(?:y|ies) | diseases? | syndromes? | disorders? |
        deficienc(?:y|ies) |
        \w*hyp(?:o|er)\w+ism | fibrosis | diabetes | hypertension | asthma | epilepsy | psoriasis | stroke | autism |
        schizophrenia | depression | obesity | malaria | tuberculosis | lupus | gout | migraine |
        hypercholesterol[ae]*mia |
        \w{3,}(?:omas?|emias?|aemias?|itis|osis|iasis|pathy|pathies|trophy|trophies|algia|plegia)
    )$"""
)
# What belongs to a disease's name behind its head word.
DISEASE_TAIL = re.compile(r"\s+(?:(?i:mellitus|insipidus|gravis|vulgaris|fulminans)|\d{1,2}[A-Z])\b")
# Words of a disease's form that are none, and words that name one only with a word before them.
NOT_DISEASES = _words(
    """
    diploma aroma idioma homeopathy osteopathy diagnosis prognosis apoptosis mitosis meiosis endocytosis exocytosis
    phagocytosis symbiosis osmosis necroptosis ferroptosis pyroptosis
    """
)
GENERIC_DISEASES = re.compile(
    r"(?i)^(?:cancers?|tumou?rs?|neoplasms?|malignanc(?:y|ies)|diseases?|syndromes?|disorders?|deficienc(?:y|ies)|carcinomas?)$"
)

# Words that end a disease's name to the left: everything that is not part of a noun phrase.
BREAKS = _words(
    """
    a an the this that these those my our your their its his her what which who whom whose how why when where is are was
    were be been being do does did has have had can could may might should would will shall must and or but nor not
    in on of for to from by with without at as into onto over under about between among against versus vs via per
    treat treats treated treating treatment treatments therapy therapies drug drugs medicine medicines inhibitor
    inhibitors trial trials study studies patient patients people person adult adults child children case cases
    target targets targeting targeted protein proteins gene genes variant variants mutation mutations kinase kinases
    link linked links associated association associations related implicated involved cause causes caused causing
    causal drive drives driven driving affect affects affecting relevant known approved used use uses using find list
    show give tell me us name compare describe explain summarise summarize any all some every each other more most best
    new novel current latest ongoing recruiting active completed advanced metastatic recurrent refractory relapsed
    unresectable resectable early late stage locally resistant sensitive newly diagnosed untreated pretreated untypical
    positive negative mutant mutated amplified altered deficient low high like such specific human common rare
    literature papers articles publications evidence pathways pathway biomarker biomarkers guideline guidelines
    first second third line behind further two three four five both several inherited listed mapping maps
    """
)

# Stems by which generic drug names are built.
DRUG_STEM = re.compile(
    r"""(?ix)^[a-z]{2,}(?:
        tinib | fenib | ciclib | parib | degib | lisib | zomib | rasib | sidenib | platin | rubicin | taxel | mab |
        cept | grel | statin | prazole | sartan | pril | olol | dipine | gliptin | gliflozin | glitazone | triptan |
        setron | caftor | farin | xaban | gatran | oxifen | oxetine | triptyline | azole | cillin | mycin | floxacin |
        cycline |
        navir | tegravir | buvir | asvir | citabine | tecan | purine | thioprine | uracil | trexate | fibrate | zepam |
        azepine |
        barbital | codeine | codone | formin | lukast | limus | profen | purinol | cavir | fovir | vudine | piprazole |
        domide
    )$"""
)
_WORD = r"(?P<word>[A-Za-z][A-Za-z0-9-]{4,})"
# What a salt's or hydrate's name adds to its parent's.
SALTS = _words(
    """
    ACETATE ANHYDROUS BESYLATE BITARTRATE CALCIUM CITRATE DIHYDROCHLORIDE DIMALEATE DITOSYLATE ESYLATE FUMARATE
    HYDRATE HYDROBROMIDE HYDROCHLORIDE HYDROGEN MALATE MALEATE MESYLATE MONOHYDRATE PHOSPHATE POTASSIUM SODIUM
    SUCCINATE SULFATE TARTRATE TOSYLATE
    """
)
# Where an unknown word is a drug by its place: "X dosing", "dose of X", "what is X?".
DRUG_PLACES = (
    rf"(?i)\b{_WORD}\s+(?:dos(?:e|es|ing|age)|mechanism|indications?|metabolism|toxicity|safety|pharmacogen\w+)\b",
    rf"(?i)\b(?:drug|dos(?:e|es|ing|age) (?:of|for)|prescribing|mechanism of|metabolism of|toxicity of|"
    rf"response to)\s+{_WORD}",
    rf"(?i)^(?:what is|what's|tell me about|describe|summari[sz]e)\s+{_WORD}\s*[?.]?$",
)
# Beside a gene, also: "X and GENE", "GENE and X", "does GENE affect X", "X in GENE carriers".
DRUG_PLACES_BY_GENE = (
    rf"\b{_WORD}(?:\s+(?:and|with|in|for|vs\.?|versus)\s+|\s*[/,+]\s*)GENE",
    rf"GENE\S*\s+(?:and|with|for|on|vs\.?|versus|affects?|affecting|changes?|influences?|metaboli[sz]es?)\s+{_WORD}",
    rf"(?i)\b(?:taking|on|with|and|of|to)\s+{_WORD}",
    rf"(?i)\b{_WORD}\s+(?:response|therapy|treatment|efficacy)\b",
)
# Ordinary words that stand in such places and are no drug.
NOT_DRUGS = BREAKS | _words(
    """
    alleles allele genotype genotypes phenotype phenotypes metabolizer metabolizers metaboliser metabolisers metabolism
    metabolic pharmacogenomic pharmacogenomics pharmacogenetic pharmacogenetics dosing dosage dose doses response
    responses efficacy toxicity effect effects level levels resistance acquired mechanism mechanisms identifier
    identifiers accession accessions ensembl uniprot chembl pubchem clinvar pubmed reactome clinpgx pharmgkb clinical
    recommendation recommendations frequency frequencies population populations function functions significance
    interpretation pathogenic pathogenicity star there their where which about signalling signaling small molecule
    molecules antibodies antibody cancer cancers lung breast cells human recommended recommend poor rapid ultrarapid
    intermediate normal carriers carrier status question answer database databases record records information members
    member approved approval phase withdrawn indication indications safety warnings structure available registered
    start end place places location length lengths class position positions chromosome number numbers
    coding genomic canonical symbol symbols
    """
)

_ONE = "ACDEFGHIKLMNPQRSTVWY"
_THREE = "ala|arg|asn|asp|cys|gln|glu|gly|his|ile|leu|lys|met|phe|pro|ser|thr|trp|tyr|val"
# A protein change in any spelling. One digit alone is too little: E2F and T2D are no changes.
PROTEIN_CHANGE = re.compile(
    rf"""(?x)(?<![A-Za-z0-9*_.])(?:p\.)?\(?(?:
        (?P<one>[{_ONE}]\d{{2,5}}(?:[{_ONE}X*]|fs)) |
        (?P<three>(?i:{_THREE})\d{{1,5}}(?i:{_THREE}|ter|\*|fs)) |
        (?P<lower>[{_ONE.lower()}]\d{{2,5}}[{_ONE.lower()}])
    )\)?(?![A-Za-z0-9*])"""
)
# A place on the genome with its change: "chr7:g.140453136A>T".
GENOMIC_CHANGE = re.compile(r"(?<![A-Za-z0-9])chr(?:\d{1,2}|[XYM]|MT):g\.\d+[ACGT]>[ACGT]\b")
AMINO_ACIDS = {
    "ala": "A", "arg": "R", "asn": "N", "asp": "D", "cys": "C", "gln": "Q", "glu": "E", "gly": "G", "his": "H",
    "ile": "I", "leu": "L", "lys": "K", "met": "M", "phe": "F", "pro": "P", "ser": "S", "thr": "T", "trp": "W",
    "tyr": "Y", "val": "V", "ter": "*", "*": "*", "fs": "fs",
}  # fmt: skip

# A gene cell that a spreadsheet turned into a date.
SPREADSHEET_DATE = re.compile(r"(?<![\w-])(?:\d{1,2}-(?:Mar|Sep|Dec)|(?:Mar|Sep|Dec)-\d{1,2})(?![\w-])")

GENE = re.compile(
    r"""(?x)(?<![A-Za-z0-9*._/-])(?:
        (?:her|HER|Her)-?2(?:/neu)? |
        [A-Z][A-Z0-9]{1,9}(?:-[A-Z]{0,3}\d{0,2}[A-Z]?\d?)? |
        [Cc]\d{1,2}(?:orf|ORF)\d+ |
        p\d{2,3}[A-Z]? |
        (?!chr)[a-z]{2,5}\d{1,2}(?:[a-z]\d{1,2})?
    )(?![A-Za-z0-9*_])"""
)
# Lower-case words with a number that are no gene: "phase3", "type2".
NUMBERED_WORDS = re.compile(r"(?i)^(?:phase|stage|grade|type|top|level|class|tier|step|day|week|covid|omicron)\d")
# An allele whose gene stands elsewhere in the sentence: "*2", "*28", "*3A", "*58:01".
BARE_ALLELE = re.compile(r"(?<![\w*-])\*\d+[A-Z]?(?::\d{2,3})?(?![\w*])")
SET_ASIDE = re.compile(r"(?i)\b(?:apart from|besides|other than|except(?:ing)?(?: for)?)\s+([^,.;:?]+)")
# The number of a form of a disease: "type 1", and in a row "type 1 and 3".
DISEASE_TYPE = re.compile(r"(?i)\btypes? (\d{1,2}[A-Z]?)\b(?! diabetes)")
# A development code of a drug: TAK-285, AZD9291, FK506.
DRUG_CODE = re.compile(
    r"(?<![A-Za-z0-9-])(?!MIR|LOC|LINC|KIAA|CD\d)[A-Z]{2,4}(?:-\d{3,7}|\d{4,7}|(?<=\b[A-Z]{2})\d{3})(?![A-Za-z0-9])"
)

TASKS = {
    "kinase_inhibitors": r"kinase inhibitors?|TKIs?|tinibs?",
    "drugs": r"drugs?|medicines?|inhibitors?|treat(?:s|ed|ing|ment|ments)?|therap(?:y|ies|eutics?)|compounds?|"
    r"antibod\w+",
    "trials": r"trials?|recruit\w+|NCTs?",
    "open_trials": r"open(?! targets)|recruiting|enrolling|ongoing|comes next|currently",
    "pharmacogenomics": r"pharmacogen\w+|PGx|dos(?:e|es|ing|age)|genotypes?|metaboli[sz]\w*|star alleles?|haplotypes?|"
    r"alleles?|drug response|respond\w*|CPIC|ClinPGx|PharmGKB",
    "guideline": r"guidelines?|CPIC|DPWG|recommend\w*",
    "pathways": r"pathways?|Reactome",
    "identifiers": r"identifiers?|IDs?|accessions?|cross[- ]?references?|accession numbers?",
    "literature": r"literature|papers?|publications?|articles?|PubMed|published|abstracts?",
    "resistance": r"resistan\w+",
    "variant": r"ClinVar|pathogenic\w*|clinical significance|classif\w+|oncogenic\w*",
    "approved": r"approved(?! (?:gene )?symbol)|approval|marketed|licensed",
    "joining": r"enrol\w*|join|recruit\w*|take part|participate|eligible|open to",
    "genes": r"genes?|proteins?",
    "causal": r"caus\w+|mutated|behind|responsible|different genes|listed for",
    "cytoband": r"cytobands?|cytogenetic(?: bands?)?|chromosom\w+ bands?",
    "protein": r"UniProt|(?:protein )?lengths?|residues|amino acids|encodes?",
    "conditions": r"\S*(?:osis|oses|[ae]emias?|opathy|trophy)|syndromes?|diseases?|disorders?|\w*hyp(?:o|er)\w+ism",
    "codes": r"MONDO,? (?:and |or )?\w+.* codes?|codes? of|ontolog\w+|(?:phenotype|disease) terms?|ICD(?:-\d+)?",
    "drug_response": r"drug[- ]response|sensitiv\w+",
    "definition": r"rs ?IDs?|HGVS|positions?|make up|makes up|defin\w+",
    "records": r"RCVs?|condition records?|ClinGen|canonical alleles?|HGVS|Variation ?IDs?",
    "access": r"full[- ]text|open[- ]access|freely|free (?:copy|text)",
    "drug_facts": r"brand names?|trade names?|InChI ?Keys?|parents?|salts?|(?:development|code) (?:code|name)s?|"
    r"first approv\w+|approval dates?|(?:maximum|max\.?|highest) phase|"
    r"ChEMBL (?:molecules?|targets?|ids?|identifiers?)",
    "mechanism": r"mechanisms?|targets?",
    "cpic": r"CPIC",
    "level": r"levels?",
    "against": r"against|recorded against",
    "both": r"both",
    "binds": r"binds?|act(?:s|ing)? on|itself",
    "modalities": r"antibod\w+|small[- ]molecules?|conjugates?|ADCs?",
}
