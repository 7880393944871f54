-- Settings of sessions that change what values look like ------------------------------------------

-- The rows in the payload are the same in each session.
ALTER FUNCTION howdah.async_trigger()
    SET datestyle = 'ISO, MDY' SET intervalstyle = postgres SET extra_float_digits = 3
    SET bytea_output = hex SET lc_monetary = 'C' SET quote_all_identifiers = off;

-- The day in the bounds of its table is text.
ALTER FUNCTION howdah.make_day(date) SET datestyle = 'ISO';
