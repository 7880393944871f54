#!/bin/sh
# Runs the image in the layout $1 as a cluster would: as its own user without any capability, with a root that cannot be written.
# Says what it saw; 77 where the machine has no tools for that, or lets no container run.
set -eu
for tool in skopeo umoci runc jq; do
    command -v "$tool" >/dev/null || { echo "no $tool" >&2; exit 77; }
done
work=$(mktemp -d)
name=howdah-$$
end() {
    runc delete --force "$name" >/dev/null 2>&1 || true
    rm -rf -- "$work"
}
trap end EXIT

# Copied as by one that pushes it to a registry: that checks every digest.
skopeo --tmpdir "$work" copy -q "oci-archive:$1" "oci:$work/image:tried" >&2
umoci unpack --image "$work/image:tried" "$work/bundle" >&2 || exit 77
jq '.root.readonly = true | .process.terminal = false | .process.capabilities = {} | .process.noNewPrivileges = true
    | .process.args += ["--json"] | del(.linux.resources)
    | .mounts |= map(select(.destination != "/sys/fs/cgroup" and .destination != "/dev/mqueue"))
    | (.mounts[] | select(.destination == "/var/lib/howdah") | .options) = ["rw", "nosuid", "nodev", "mode=0700", "uid=65532", "gid=65532"]' \
    "$work/bundle/config.json" >"$work/config.json"
mv -- "$work/config.json" "$work/bundle/config.json"

runc run --bundle "$work/bundle" "$name" >"$work/out" 2>"$work/err" &
container=$!
until [ -s "$work/out" ]; do
    kill -0 "$container" 2>/dev/null || { cat "$work/err" >&2; ! grep -q 'runc\|container_linux' "$work/err" || exit 77; exit 1; }
    sleep 0.1
done
inside() {
    runc exec "$name" "$@"
}
inside howdah task add --wait 'SELECT 6 * 7'
inside sh -c 'id -u'
inside sh -c '(echo x >/opt/x) 2>/dev/null || echo root cannot be written'
# The health check of the image.
# shellcheck disable=SC2046 # a list of words
inside $(skopeo inspect --raw --config "oci:$work/image:tried" | jq -r '.config.Healthcheck.Test[1:][]') && echo healthy
runc kill "$name" TERM
exit=0
wait "$container" || exit=$?
echo "stopped with $exit"
! grep -q 'WARNING\|Exception' "$work/err" || { cat "$work/err" >&2; exit 1; }
