-- The billing of a telephone company. Needs howdah.pdf and so on (pg_task.functions), and the
-- setting billing.gateway: where payments are confirmed.
CREATE SCHEMA billing;

CREATE TABLE billing.customer (
    id integer PRIMARY KEY,
    name text NOT NULL,
    email text NOT NULL,
    router text NOT NULL, -- such as ssh://r17.net.example
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
    amount numeric(12, 2) NOT NULL CHECK (amount > 0),
    at timestamptz NOT NULL DEFAULT now(),
    settled boolean NOT NULL DEFAULT false);

CREATE TABLE billing.invoice (
    number integer PRIMARY KEY,
    customer integer NOT NULL UNIQUE REFERENCES billing.customer,
    total numeric(12, 2) NOT NULL,
    issued date NOT NULL DEFAULT current_date);

-- One row: a number that was drawn is given back when its transaction rolls back.
CREATE TABLE billing.counter (last integer NOT NULL);
INSERT INTO billing.counter VALUES (0);

-- Invoices that go by post, since the customer's mail server refused the mail for good.
CREATE TABLE billing.letter (invoice integer PRIMARY KEY REFERENCES billing.invoice);

-- What a payment leads to, in one transaction: the balance, and the tasks for the world outside.
-- Has the rights of the owner of the tables; roles that take payments need none of them.
CREATE FUNCTION billing.settle(who integer) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    c billing.customer;
    paid billing.payment;
    drawn integer;
    facts jsonb;
    mail bigint;
BEGIN
    SELECT * INTO c FROM billing.customer WHERE id = who FOR UPDATE;
    FOR paid IN
        UPDATE billing.payment SET settled = true WHERE customer = who AND NOT settled RETURNING *
    LOOP
        PERFORM howdah.http(
            current_setting('billing.gateway'), key => paid.external, backoff => '1 second',
            payload => jsonb_build_object('payment', paid.external, 'amount', paid.amount));
    END LOOP;
    c.balance := (SELECT COALESCE(sum(p.amount), 0) FROM billing.payment p WHERE p.customer = who)
        - (SELECT COALESCE(sum(h.amount), 0) FROM billing.charge h WHERE h.customer = who);
    UPDATE billing.customer SET balance = c.balance, wanted = c.balance >= 0 WHERE id = who;
    IF c.balance < 0 OR c.wanted THEN
        RETURN 'balance ' || c.balance;
    END IF;
    -- One command at a time for a router; one that is slow holds up no other.
    PERFORM howdah.ssh(
        c.router, 'port', args => ARRAY[c.port, 'up'], credential => 'net',
        "group" => 'router ' || c.router, timeout => '10 seconds', attempts => 5,
        backoff => '1 second');
    UPDATE billing.counter SET last = last + 1 RETURNING last INTO drawn;
    INSERT INTO billing.invoice
    SELECT drawn, who, sum(h.amount) FROM billing.charge h WHERE h.customer = who;
    SELECT jsonb_build_object(
        'number', i.number, 'issued', to_char(i.issued, 'DD.MM.YYYY'), 'customer', c.id,
        'name', c.name, 'port', c.port, 'total', to_char(i.total, 'FM999999990.00'), 'lines', (
            SELECT jsonb_agg(jsonb_build_object(
                'what', h.what, 'price', to_char(h.amount, 'FM999999990.00')))
            FROM billing.charge h WHERE h.customer = who))
    INTO facts FROM billing.invoice i WHERE i.number = drawn;
    mail := howdah.mail(
        c.email, 'bill', facts, sender => 'billing@telco.example', backoff => '1 second',
        attach => ARRAY[howdah.pdf('invoice', facts, name => 'invoice-' || drawn || '.pdf')]);
    -- As any task it may run twice, when the daemon is killed.
    UPDATE public.task
    SET on_failure = format('INSERT INTO billing.letter VALUES (%s) ON CONFLICT DO NOTHING', drawn)
    WHERE id = mail;
    RETURN 'invoice ' || drawn;
END
$$;
REVOKE EXECUTE ON FUNCTION billing.settle FROM PUBLIC;

-- A payment takes no longer than its row: what follows is a task, one at a time for a customer, and
-- one for several payments that came at the same time.
SELECT howdah.task_trigger(
    'billing.payment', 'SELECT billing.settle(($2).customer)', key => '{customer}', latest => true,
    options => '{"attempts": 5, "backoff": "1 second"}');

SELECT howdah.template('invoice', $t$<html><head><style>
    @page { size: A4; margin: 2.5cm 2cm 2cm 2.5cm;
        @bottom-left { content: "Телеком Пример"; font: 8pt sans-serif; color: #666 }
        @bottom-right { content: counter(page) " / " counter(pages); font: 8pt sans-serif } }
    body { font-family: sans-serif; font-size: 10pt; line-height: 1.4 }
    h1 { font-size: 17pt; color: #1a4f8a; margin: 0 0 0.6cm 0 }
    .facts { margin-bottom: 0.8cm }
    .facts td { padding: 1pt 12pt 1pt 0 }
    .facts td:first-child { color: #666 }
    .lines { width: 100%; border-collapse: collapse; -fs-table-paginate: paginate }
    .lines th { text-align: left; border-bottom: 1pt solid #1a4f8a; color: #1a4f8a }
    .lines td, .lines th { padding: 4pt }
    .lines .sum { text-align: right; white-space: nowrap }
    .total td { border-top: 1pt solid #888; font-weight: bold }
</style></head><body>
<h1>Счёт № {{number}}</h1>
<table class="facts">
<tr><td>Дата</td><td>{{issued}}</td></tr>
<tr><td>Абонент</td><td>{{name}}</td></tr>
<tr><td>Номер абонента</td><td>{{customer}}</td></tr>
<tr><td>Порт</td><td>{{port}}</td></tr>
</table>
<table class="lines"><thead><tr><th>Услуга</th><th class="sum">Сумма, €</th></tr></thead><tbody>
{{#lines}}<tr><td>{{what}}</td><td class="sum">{{price}}</td></tr>{{/lines}}
<tr class="total"><td>Итого</td><td class="sum">{{total}}</td></tr></tbody></table>
<p>Оплачено полностью. Спасибо!</p>
</body></html>$t$);
SELECT howdah.template('bill.subject', 'Счёт № {{number}}');
SELECT howdah.template('bill.text', '{{name}}, спасибо. Счёт на {{total}} € приложен.');
