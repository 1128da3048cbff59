"""1000 Genomes phase 3: how common an allele is in 2,504 people of 26 populations.

The project publishes files and has no interface of its own. The frequencies come from Ensembl
(rest.ensembl.org, GRCh37 at grch37.rest.ensembl.org), and where it fails or has none from MyVariant.info,
whose values are of GRCh37 and of the five super-populations only.
"""

from mcp_server.platforms.thousand_genomes import comparison, frequencies
from mcp_server.platforms.thousand_genomes.service import platform

__all__ = ["comparison", "frequencies", "platform"]
