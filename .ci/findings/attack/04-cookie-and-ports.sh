# The cookie of a session names the port of its console, and is worth nothing at the console of another port.
. "$FINDINGS/lib.sh"
uri=$(database finding_cookie)
serve up --url "$uri" --port 0 --console-login link
other=$(field console <up)
other=$(sed -E 's|^(http://[^/]*).*|\1|' <<<"$other")
link=$("$HOWDAH" console --data "$DIRECTORY" 2>&1 | grep -oE 'http://[^ ]+' | head -n 1)
cookie=$(curl -s -D - -o page "$link" | tr -d '\r' | sed -n 's/^[Ss]et-[Cc]ookie: \([^;]*\).*/\1/p')
expect "the name of the cookie" "howdah-${BASE##*:}" "${cookie%%=*}"
expect "a page with it" 200 "$(curl -s -o page -w '%{http_code}' -H "Cookie: $cookie" "$BASE/tokens")"
expect "the same at another console" 401 "$(curl -s -o page -w '%{http_code}' -H "Cookie: $cookie" "$other/tokens")"
expect "with the name of that port" 401 "$(curl -s -o page -w '%{http_code}' -H "Cookie: howdah-${other##*:}=${cookie#*=}" "$other/tokens")"
