# --file skips a byte order mark, as psql does, and says of another encoding that it is not UTF-8.
. "$FINDINGS/lib.sh"
printf '\357\273\277SELECT 42;\r\n' >bom.sql
printf "SELECT 'gr\374n';" >latin1.sql
expect "the answer of howdah sql" '[{"?column?":42}]' "$("$HOWDAH" sql --url "$URI" --json --file bom.sql 2>&1)"
expect "the output of a task" 42 "$("$HOWDAH" task add --url "$URI" --wait --file bom.sql 2>said)"
for command in sql "task add"; do
    # shellcheck disable=SC2086 # words
    said=$("$HOWDAH" $command --url "$URI" --file latin1.sql 2>&1) && fail "expected that $command refuses Latin-1, came $said"
    contains "the refusal of $command" "$said" "no text in UTF-8"
done
