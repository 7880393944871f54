# Wrong tokens from an address lock out no right one from the same address.
. "$FINDINGS/lib.sh"
# Of an address of this case alone.
get() { curl -s -m 20 -o body -w '%{http_code}' --interface 127.0.0.9 -H "Authorization: Bearer $1" "$BASE/api/v1/queues"; }
wrong=hd_0000000000000000000000000000000000000000
expect "a right token" 200 "$(get "$TOKEN")"
for i in $(seq 12); do
    status=$(get $wrong)
    case $status in 401 | 429) ;; *) fail "wrong token $i: expected 401 or 429, came $status" ;; esac
    expect "the right token after $i wrong ones" 200 "$(get "$TOKEN")"
done
