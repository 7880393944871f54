-- The billing of a telephone company. Needs howdah.pdf and so on (pg_task.functions), and the
-- settings billing.gateway and billing.router: where payments are confirmed and ports switched.
CREATE SCHEMA billing;

CREATE TABLE billing.customer (
    id integer PRIMARY KEY,
    name text NOT NULL,
    email text NOT NULL,
    port text NOT NULL,
    balance numeric(12, 2) NOT NULL DEFAULT 0,
    wanted boolean NOT NULL DEFAULT false);

CREATE TABLE billing.charge (
    customer integer NOT NULL REFERENCES billing.customer,
    what text NOT NULL,
    amount numeric(12, 2) NOT NULL);

CREATE TABLE billing.payment (
    external text PRIMARY KEY,
    customer integer NOT NULL REFERENCES billing.customer,
    amount numeric(12, 2) NOT NULL,
    at timestamptz NOT NULL DEFAULT now());

CREATE TABLE billing.invoice (
    number integer PRIMARY KEY,
    customer integer NOT NULL UNIQUE REFERENCES billing.customer,
    total numeric(12, 2) NOT NULL);

-- One row: a number that was drawn is given back when its transaction rolls back.
CREATE TABLE billing.counter (last integer NOT NULL);
INSERT INTO billing.counter VALUES (0);

-- A payment takes no longer than its row: what follows is a task, one at a time for a customer.
CREATE FUNCTION billing.paid() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM howdah.run(
        format('SELECT billing.settle(%s, %L)', NEW.customer, NEW.external),
        "group" => 'customer ' || NEW.customer, attempts => 5, backoff => '1 second');
    RETURN NULL;
END
$$;

CREATE TRIGGER paid AFTER INSERT ON billing.payment
    FOR EACH ROW EXECUTE PROCEDURE billing.paid();

-- Bears to be run twice: the invoice is there after the first time.
CREATE FUNCTION billing.settle(who integer, external text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    c billing.customer;
    drawn integer;
    facts jsonb;
BEGIN
    SELECT * INTO c FROM billing.customer WHERE id = who FOR UPDATE;
    c.balance := (SELECT COALESCE(sum(p.amount), 0) FROM billing.payment p WHERE p.customer = who)
        - (SELECT COALESCE(sum(h.amount), 0) FROM billing.charge h WHERE h.customer = who);
    UPDATE billing.customer SET balance = c.balance, wanted = c.balance >= 0 WHERE id = who;
    IF c.balance < 0 OR EXISTS (SELECT FROM billing.invoice i WHERE i.customer = who) THEN
        RETURN 'balance ' || c.balance;
    END IF;
    UPDATE billing.counter SET last = last + 1 RETURNING last INTO drawn;
    facts := jsonb_build_object(
        'number', drawn, 'name', c.name, 'port', c.port,
        'lines', (SELECT jsonb_agg(jsonb_build_object('what', h.what, 'price', h.amount))
                  FROM billing.charge h WHERE h.customer = who),
        'total', (SELECT sum(h.amount) FROM billing.charge h WHERE h.customer = who));
    INSERT INTO billing.invoice VALUES (drawn, who, (facts ->> 'total')::numeric);
    PERFORM howdah.http(
        current_setting('billing.gateway'), payload => jsonb_build_object('payment', external),
        key => external, backoff => '1 second');
    PERFORM howdah.mail(
        c.email, 'bill', facts, sender => 'billing@telco.example', backoff => '1 second',
        attach => ARRAY[howdah.pdf('invoice', facts, name => 'invoice-' || drawn || '.pdf')]);
    PERFORM howdah.ssh(
        current_setting('billing.router'), 'port', args => ARRAY[c.port, 'up'],
        credential => 'net', attempts => 5, backoff => '1 second');
    RETURN 'invoice ' || drawn;
END
$$;

SELECT howdah.template('invoice', $t$<html><head><style>
    @page { size: A4; margin: 2cm;
        @bottom-right { content: counter(page) " / " counter(pages); font-size: 8pt } }
    body { font-family: sans-serif; font-size: 10pt }
    h1 { font-size: 16pt; color: #1a4f8a }
    table { width: 100%; border-collapse: collapse; margin-top: 1cm }
    th { text-align: left; border-bottom: 1pt solid #1a4f8a }
    td, th { padding: 3pt }
    .sum { text-align: right; white-space: nowrap }
    .total td { border-top: 1pt solid #888; font-weight: bold }
</style></head><body>
<h1>Счёт № {{number}}</h1>
<p>{{name}}<br>Порт {{port}}</p>
<table><tr><th>Услуга</th><th class="sum">Сумма, €</th></tr>
{{#lines}}<tr><td>{{what}}</td><td class="sum">{{price}}</td></tr>{{/lines}}
<tr class="total"><td>Итого</td><td class="sum">{{total}}</td></tr></table>
</body></html>$t$);
SELECT howdah.template('bill.subject', 'Счёт № {{number}}');
SELECT howdah.template('bill.text', '{{name}}, спасибо. Счёт на {{total}} € приложен.');
