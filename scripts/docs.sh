#!/usr/bin/env bash
# Builds the documentation site, build/docs/html/index.html, which a browser can open
# without a server. scripts/setup.sh --docs installs the required programs.
#
#   scripts/docs.sh            checks the pages and builds the site
#   scripts/docs.sh --check    only checks links and snippets; requires only Python
#   scripts/docs.sh --stage    checks, and writes the input of Sphinx; requires Doxygen
#   scripts/docs.sh --update   also copies the snippets from the sources into the pages
# shellcheck source-path=SCRIPTDIR
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

update=()
check_only=false
stage_only=false
programs=(doxygen sphinx-build)
for option in "$@"; do
  case $option in
    --check) check_only=true ;;
    --stage)
      stage_only=true
      programs=(doxygen)
      ;;
    --update) update=(--update) ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) die "unknown option $option (see --help)" ;;
  esac
done

step "Links and snippets"
python3 unit_tests/checks/check_pages.py . "${update[@]}"
if $check_only; then
  exit 0
fi

for program in "${programs[@]}"; do
  command -v "$program" >/dev/null ||
    die "$program is missing; scripts/setup.sh --docs installs it"
done
out=build/docs
SYMM_DOCS_VERSION=$(sed -n 's/^  VERSION \([0-9.]*\)$/\1/p' CMakeLists.txt)
export SYMM_DOCS_VERSION

step "Declarations (Doxygen)"
rm -rf "$out/doxygen" "$out/html"
mkdir -p "$out"
{
  cat docs/site/Doxyfile
  echo "OUTPUT_DIRECTORY = $out/doxygen"
} | doxygen - 2>"$out/doxygen.log" || die "Doxygen failed; see $out/doxygen.log"
python3 docs/site/stage.py . "$out/doxygen/xml" "$out/pages"
if $stage_only; then
  exit 0
fi

step "Pages (Sphinx)"
sphinx-build -q -W --keep-going -j auto -b html -c docs/site -d "$out/doctrees" \
  "$out/pages" "$out/html"
echo "The site: $PWD/$out/html/index.html"
