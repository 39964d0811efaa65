import sys

from sdc_core.cli import main

sys.exit(main())
