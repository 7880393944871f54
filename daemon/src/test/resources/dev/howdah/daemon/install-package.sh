#!/bin/sh
# Installs, upgrades, removes and purges a package on a machine whose /etc, /usr and /var are forgotten afterwards:
# install-package.sh DEB, as root in a mount namespace of its own.
set -eu
deb=$1

layers=$(mktemp -d)
mount -t tmpfs none "$layers"
for directory in etc usr var; do
    mkdir -p "$layers/$directory/upper" "$layers/$directory/work"
    mount -t overlay overlay -o "lowerdir=/$directory,upperdir=$layers/$directory/upper,workdir=$layers/$directory/work" \
        "/$directory" || {
        echo 'cannot overlay'
        exit 77
    }
done

export DEBIAN_FRONTEND=noninteractive
dpkg -i "$deb" >/dev/null
howdah --version
stat -c '%n %a %U:%G' /etc/howdah/howdah.properties /var/lib/howdah
! command -v systemd-analyze >/dev/null || SYSTEMD_LOG_LEVEL=err systemd-analyze verify /lib/systemd/system/howdah.service

# What the unit starts, as the user that it names.
echo 'pg-port=0' >>/etc/howdah/howdah.properties
start=$(sed -n 's/^ExecStart=//p' /lib/systemd/system/howdah.service)
as="setpriv --reuid howdah --regid howdah --clear-groups env -i HOME=/var/lib/howdah PATH=/usr/bin:/bin"
$as $start --json --port 0 >/tmp/howdah-package.$$ 2>&1 &
daemon=$!
while [ ! -s "/tmp/howdah-package.$$" ] || ! grep -q '"pid"' "/tmp/howdah-package.$$"; do
    kill -0 "$daemon" || {
        cat "/tmp/howdah-package.$$"
        exit 1
    }
    sleep 0.1
done
rm "/tmp/howdah-package.$$"
$as howdah task add --wait "SELECT 'from a ' || 'package'" --data /var/lib/howdah/data 2>/dev/null
kill "$daemon"
wait "$daemon" && echo 'stopped with 0'

# Settings survive an upgrade and a removal, data also a purge.
dpkg -i "$deb" >/dev/null
grep -c 'pg-port=0' /etc/howdah/howdah.properties
dpkg -r howdah >/dev/null
[ ! -e /usr/bin/howdah ] && [ -e /etc/howdah/howdah.properties ] && echo 'removed'
dpkg -P howdah 2>/dev/null | grep '^howdah:'
[ ! -e /etc/howdah ] && [ -e /var/lib/howdah/data ] && echo 'purged'
