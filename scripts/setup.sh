# shellcheck shell=bash
# All of the set-up that ./stash and ./test share. The caller sets $root to the checkout.

# shellcheck source=scripts/common.sh
source "${root:?}/scripts/common.sh"
# shellcheck source=scripts/packages.sh
source "$root/scripts/packages.sh"
# shellcheck source=scripts/build.sh
source "$root/scripts/build.sh"
# shellcheck source=scripts/python.sh
source "$root/scripts/python.sh"
