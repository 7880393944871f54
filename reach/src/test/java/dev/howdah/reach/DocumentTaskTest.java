package dev.howdah.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import com.sun.net.httpserver.HttpExchange;
import dev.howdah.fixtures.HttpPlace;
import dev.howdah.fixtures.Patience;
import dev.howdah.fixtures.TestDatabase;
import dev.howdah.fixtures.TestServer;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeMultipart;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.text.PDFTextStripper;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Templates, documents, and the functions that add tasks which reach out. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DocumentTaskTest {
    private final TestDatabase database = TestDatabase.create(TestServer.of(TestServer.NEWEST));
    private final GreenMail mails = new GreenMail(new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));
    private final HttpPlace place = new HttpPlace(DocumentTaskTest::answer);
    private ReachingTasks tasks;
    private Path directory;

    DocumentTaskTest() throws IOException {}

    private static void answer(HttpExchange exchange, HttpPlace.Seen request) throws IOException {
        String text = exchange.getRequestMethod() + " " + request.body();
        if (request.path().equals("/hash"))
            text = exchange.getRequestMethod() + " " + request.headers().getFirst("Content-Type") + " "
                    + request.body().hashCode();
        if (request.path().equals("/headers"))
            text = request.headers().getFirst("Accept") + "|"
                    + request.headers().getFirst("X-Shop") + "|"
                    + request.headers().getFirst("Content-Type");
        boolean large = request.path().endsWith(".bin");
        boolean endless = request.path().equals("/endless");
        if (endless) text = "x".repeat(65_536);
        byte[] bytes = large ? bytes() : text.getBytes(StandardCharsets.UTF_8);
        if (large) exchange.getResponseHeaders().add("Content-Type", "application/x-test");
        exchange.sendResponseHeaders(200, endless ? 0 : bytes.length);
        do exchange.getResponseBody().write(bytes);
        while (endless);
    }

    private MimeMessage mailTo(String address) throws MessagingException {
        for (MimeMessage each : mails.getReceivedMessages())
            if (each.getAllRecipients()[0].toString().equals(address)) return each;
        throw new AssertionError("no mail to " + address);
    }

    @BeforeAll
    void serve(@TempDir Path directory) throws IOException {
        this.directory = directory;
        mails.start();
        int port = mails.getSmtp().getPort();
        database.execute("ALTER DATABASE " + database.name() + " SET pg_task.functions = on");
        database.execute("ALTER DATABASE " + database.name() + " SET pg_task.reset = '1 s'");
        database.execute(
                "ALTER DATABASE " + database.name() + " SET pg_task.mail = 'smtp://127.0.0.1:" + port + "?tls=none'");
        Path file = directory.resolve("reach.json");
        Files.writeString(file, "{\"senders\": [\"billing@telco.example\"]}");
        tasks = new ReachingTasks(
                database,
                ReachSettings.of(List.of("smtp://127.0.0.1:*", "ssh://r17", place.address()), file, Map.of()));
        template("invoice", """
                <html><head><style>@page { @bottom-right { content: counter(page) "/" counter(pages) } }</style></head>
                <body><h1>Счёт № {{number}}</h1><p>{{name}}: {{total}} €</p>{{>invoice.rows}}</body></html>""");
        template("invoice.rows", "<table>{{#rows}}<tr><td>{{what}}</td><td>{{price}}</td></tr>{{/rows}}</table>");
        template("bill.subject", "Счёт № {{number}}");
        template("bill.text", "{{name}}, to pay: {{total}}");
    }

    @AfterAll
    void close() {
        tasks.close();
        mails.stop();
        place.close();
        database.close();
    }

    private void template(String name, String body) {
        database.execute("SELECT howdah.template('" + name + "', $t$" + body + "$t$)");
    }

    private long add(String call) {
        return Long.parseLong(database.value("SELECT " + call));
    }

    @Test
    void fontsOfTheFolder_areThoseOfDocuments_unlessOthersCanChangeThem() throws IOException {
        template("plain", "<p>{{x}}</p>");
        Path fonts = Files.createDirectory(directory.resolve("fonts"), permissions("rwxr-xr-x"));
        Path font = fonts.resolve("house.ttf");
        String call = "howdah.pdf('plain', '{\"x\": 1}', attempts => 1)";
        try {
            Files.writeString(font, "no font");
            assertThat(error(call))
                    .startsWith("ERROR:  the font house.ttf cannot be used: it cannot be read as TrueType");
            Files.setPosixFilePermissions(fonts, PosixFilePermissions.fromString("rwxrwxr-x"));
            assertThat(error(call)).startsWith("ERROR:  the fonts cannot be used\nHINT:  The log of the program");
        } finally {
            Files.delete(font);
            Files.delete(fonts);
        }
        tasks.awaitState(add(call), "DONE");
    }

    @Test
    void logoAndStyle_areTemplatesOfTheirOwn() throws IOException {
        String dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
        template("logo", "data:image/png;base64," + dot);
        template("house.style", "p { font-weight: bold }");
        template(
                "letter",
                "<html><head><style>{{>house.style}}</style></head><body><img src='{{>logo}}'><p>x</p></body></html>");
        tasks.awaitState(add("howdah.pdf('letter', attempts => 1)"), "DONE");
        String pdf = database.value("SELECT encode(bytes, 'hex') FROM howdah.document WHERE template = 'letter'");
        try (PDDocument document = Loader.loadPDF(HexFormat.of().parseHex(pdf))) {
            assertThat(document.getPage(0).getResources().getXObjectNames()).hasSize(1);
            assertThat(document.getPage(0).getResources().getFontNames())
                    .hasSize(1)
                    .allSatisfy(each -> assertThat(document.getPage(0)
                                    .getResources()
                                    .getFont(each)
                                    .getName())
                            .endsWith("DejaVuSerif-Bold"));
        }
    }

    private static FileAttribute<?> permissions(String shown) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(shown));
    }

    private String error(String call) {
        long id = add(call);
        tasks.awaitState(id, "FAIL");
        return tasks.column("error", id);
    }

    private static final String DATA =
            "'{\"number\": 17, \"name\": \"Ян <b>\", \"total\": 19.90, \"rows\": [{\"what\": \"Call\", \"price\": 19.90}]}'";

    @Test
    void invoice_isMadeAndMailed_inOneTransaction() throws Exception {
        long mail = add("howdah.mail('ann@example.com', 'bill', " + DATA + ", sender => 'billing@telco.example',"
                + " attach => ARRAY[howdah.pdf('invoice', " + DATA + ", name => 'счёт-17.pdf')])");
        tasks.awaitState(mail, "DONE");
        MimeMessage received = mailTo("ann@example.com");
        assertThat(received.getSubject()).isEqualTo("Счёт № 17");
        MimeMultipart parts = (MimeMultipart) received.getContent();
        assertThat(parts.getBodyPart(0).getContent()).isEqualTo("Ян <b>, to pay: 19.90");
        assertThat(parts.getBodyPart(1).getContentType()).startsWith("application/pdf");
        byte[] pdf = parts.getBodyPart(1).getInputStream().readAllBytes();
        try (PDDocument document = Loader.loadPDF(pdf)) {
            assertThat(new PDFTextStripper().getText(document)).contains("Счёт № 17", "Ян <b>: 19.90 €", "Call", "1/1");
        }
        assertThat(database.value("SELECT concat_ws(' ', d.name, d.type, d.pages, d.template, d.version, d.owner,"
                        + " d.sha256 = sha256(d.bytes), t.output = 'document ' || d.id)"
                        + " FROM howdah.document d JOIN task t ON t.id = d.task"))
                .isEqualTo("счёт-17.pdf application/pdf 1 invoice 1 postgres t t");
    }

    @Test
    void version_ofATemplate_staysAsItIs_andATaskUsesTheOneOfItsTime() {
        template("note", "one");
        long early = add("howdah.render('note', plan => now() + interval '1 hour')");
        assertThat(database.value("SELECT howdah.template('note', 'one')")).isEqualTo("1");
        assertThat(database.value("SELECT howdah.template('note', 'two')")).isEqualTo("2");
        database.execute("UPDATE task SET plan = now() WHERE id = " + early);
        tasks.awaitState(early, "DONE");
        assertThat(tasks.column("output", early)).isEqualTo("one");
        long late = add("howdah.render('note')");
        tasks.awaitState(late, "DONE");
        assertThat(tasks.column("output", late)).isEqualTo("two");
        assertThatThrownBy(() -> database.execute("UPDATE howdah.template SET body = 'x' WHERE name = 'note'"))
                .hasMessageContaining("cannot be changed");
        assertThatThrownBy(() -> template("note.html", "<b>{{{name}}}</b>")).hasMessageContaining("not escaped");
        assertThatThrownBy(() -> database.execute("SELECT howdah.pdf('none')"))
                .hasMessageContaining("there is no template \"none\"");
    }

    @Test
    void columns_ofTasks_areGivenToAllFunctions() {
        String more = ", duration => interval '1 hour', on_failure => 'SELECT 1', plan => 'infinity', note => 'more',"
                + " options => '{\"repeat\": \"1 day\", \"delete\": false}')";
        for (String each : List.of(
                "howdah.http('https://api.example/x'",
                "howdah.mail('ann@example.com', \"text\" => 'x'",
                "howdah.ssh('ssh://r17', 'show version'",
                "howdah.sftp('sftp://r17/x', 'content'",
                "howdah.exec('backup'",
                "howdah.pdf('invoice', " + DATA,
                "howdah.render('invoice', " + DATA)) {
            long id = add(each + more);
            assertThat(database.value("SELECT concat_ws(' ', duration, on_failure, data, repeat, delete) FROM task"
                            + " WHERE id = " + id))
                    .as(each)
                    .isEqualTo("01:00:00 SELECT 1 more 1 day f");
        }
        database.execute("DELETE FROM task WHERE data = 'more'");
        long id = add("howdah.ssh('ssh://r17', 'x', on_failure => 'SELECT 1', options => '{\"remote\": \"exec:x\"}')");
        assertThat(tasks.column("remote", id)).isEqualTo("ssh://r17");
    }

    @Test
    void template_thatLoopsOrReachesOut_failsForGood() {
        template("loop", "<p>{{>loop}}</p>");
        assertThat(error("howdah.pdf('loop')")).contains("the template uses itself without end");
        template("file", "<img src='file:///etc/passwd'>");
        long id = add("howdah.pdf('file')");
        tasks.awaitState(id, "FAIL");
        assertThat(tasks.column("error", id)).contains("may not load \"file:///etc/passwd\"");
        assertThat(tasks.column("retry", id)).isEqualTo("null");
        assertThat(error("howdah.pdf('invoice', '{\"name\": \"x\"}')"))
                .contains("the value \"number\" is missing, in line 2");
        template("long", "<p>{{#n}}{{#n}}<p style='page-break-after: always'>x</p>{{/n}}{{/n}}</p>");
        assertThat(error("howdah.pdf('long', jsonb_build_object('n', array_fill(1, ARRAY[100])))"))
                .containsPattern("may have 500|was not made within 10 s of computing");
        long after = add("howdah.render('bill.subject', " + DATA + ")");
        tasks.awaitState(after, "DONE");
        assertThat(tasks.column("output", after)).isEqualTo("Счёт № 17");
    }

    @Test
    @Tag("long")
    void templates_andDataThatAreHostile_failForGood_andTheNextIsMade() {
        template("deep", "{{#a}}".repeat(20_000) + "{{/a}}".repeat(20_000));
        assertThat(error("howdah.render('deep', '{\"a\": true}')")).contains("nested too deeply");
        template("plain", "{{number}}");
        long deep = add("howdah.render('plain', (repeat('{\"number\":', 2000) || '1' || repeat('}', 2000))::jsonb)");
        tasks.awaitState(deep, "FAIL");
        assertThat(tasks.column("error", deep)).startsWith("ERROR:  ").contains("nested too deeply: 1,000");
        assertThat(tasks.column("retry", deep)).isEqualTo("null");
        template(
                "wide",
                "<table><tr><td colspan='2000000000'>x</td></tr></table>"
                        + "<p style='font-size: 1e9pt; width: 1e12px; margin: -1e12px'>x</p>"
                        + "<style>* { counter-increment: a 2000000000; content: counter(a) }</style>");
        assertThat(error("howdah.pdf('wide')")).startsWith("ERROR:  ");
        long after = add("howdah.render('plain', '{\"number\": 1}')");
        tasks.awaitState(after, "DONE");
    }

    @Test
    @Tag("long")
    void template_thatTakesTooLong_endsWithItsProcess() {
        template("slow", "{{#n}}{{#n}}{{>slow.a}}{{/n}}{{/n}}");
        template("slow.a", "{{>slow.b}}{{>slow.b}}{{>slow.b}}{{>slow.b}}{{>slow.b}}{{>slow.b}}{{>slow.b}}{{>slow.b}}");
        template("slow.b", "{{#x}}{{/x}}".repeat(4_000));
        assertThat(error("howdah.render('slow', jsonb_build_object('n', array_fill(1, ARRAY[900])))"))
                .contains("was not made within 10 s");
    }

    /** As the run after a crash does, which finds what the one before has written. */
    @Test
    void secondRunOfATask_findsTheDocumentOfTheFirst() {
        long id = add("howdah.pdf('invoice', " + DATA + ", note => 'twice')");
        tasks.awaitState(id, "DONE");
        String first = tasks.column("output", id);
        database.execute("UPDATE task SET state = 'PLAN', plan = now() WHERE id = " + id);
        Awaitility.await()
                .atMost(Patience.LIMIT)
                .until(() -> "DONE t".equals(tasks.column("concat_ws(' ', state, start > plan)", id)));
        assertThat(tasks.column("output", id)).isEqualTo(first);
        assertThat(database.value("SELECT count(*) FROM howdah.document WHERE task = " + id))
                .isEqualTo("1");
        long other = add("howdah.pdf('invoice', " + DATA + ")");
        tasks.awaitState(other, "DONE");
        assertThat(tasks.column("output", other)).isNotEqualTo(first);
    }

    @Test
    void template_belongsToTheRoleThatMadeItsFirstVersion() throws SQLException {
        database.execute("CREATE ROLE template_app; CREATE ROLE template_member;"
                + " GRANT SELECT, INSERT ON howdah.template TO template_app, template_member");
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET ROLE template_app");
            assertThatThrownBy(() -> statement.execute("SELECT howdah.template('invoice', 'mine')"))
                    .hasMessageContaining("the template \"invoice\" belongs to role postgres");
            assertThatThrownBy(() -> statement.execute("INSERT INTO howdah.template (name, version, kind, body, owner)"
                            + " VALUES ('invoice', 99, 'text', 'mine', 'postgres')"))
                    .hasMessageContaining("belongs to role postgres");
            statement.execute("SELECT howdah.template('app.note', 'one')");
            statement.execute("RESET ROLE; SET ROLE template_member");
            assertThatThrownBy(() -> statement.execute("SELECT howdah.template('app.note', 'two')"))
                    .hasMessageContaining("belongs to role template_app");
            statement.execute("RESET ROLE; GRANT template_app TO template_member; SET ROLE template_member");
            statement.execute("SELECT howdah.template('app.note', 'two')");
            assertThat(database.value("SELECT string_agg(concat_ws(' ', version, body, owner), ', ' ORDER BY version)"
                            + " FROM howdah.template WHERE name = 'app.note'"))
                    .isEqualTo("1 one template_app, 2 two template_member");
        } finally {
            database.execute("DELETE FROM howdah.template WHERE name = 'app.note';"
                    + " DROP OWNED BY template_app, template_member; DROP ROLE template_app, template_member");
        }
    }

    @Test
    void document_isOnlyForItsOwner() throws SQLException {
        database.execute("CREATE ROLE doc_app; GRANT INSERT, SELECT ON task TO doc_app;"
                + " GRANT USAGE ON SEQUENCE task_id_seq TO doc_app; GRANT SELECT ON howdah.template TO doc_app");
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            long pdf = add("howdah.pdf('invoice', " + DATA + ")");
            tasks.awaitState(pdf, "DONE");
            statement.execute("SET ROLE doc_app");
            try (var row = statement.executeQuery("SELECT count(*) FROM howdah.document")) {
                row.next();
                assertThat(row.getInt(1)).isZero();
            }
            long mail;
            try (var row =
                    statement.executeQuery("SELECT howdah.mail('eve@example.com', subject => 'x', \"text\" => 'x',"
                            + " attach => ARRAY[" + pdf + "])")) {
                row.next();
                mail = row.getLong(1);
            }
            tasks.awaitState(mail, "FAIL");
            assertThat(tasks.column("error", mail)).contains("has made no document that role \"doc_app\" may use");
            assertThatThrownBy(() -> statement.execute("SELECT howdah.template('invoice', 'mine')"))
                    .hasMessageContaining("permission denied");
        } finally {
            database.execute("DROP OWNED BY doc_app; DROP ROLE doc_app");
        }
    }

    @Test
    void document_whoseTimeIsOver_isRemoved_alsoWhereNoOtherIsMade() {
        database.execute(
                "INSERT INTO howdah.document (id, \"table\", task, key, owner, name, type, bytes, sha256, pages,"
                        + " template, version, expires) SELECT md5(n::text)::uuid, 'task', 1, 'expiry ' || n, 'postgres', 'a', 'text/plain',"
                        + " '', '', 0, '', 0, now() + CASE WHEN n > 250 THEN interval '1 day' ELSE interval '-1 s' END"
                        + " FROM generate_series(1, 251) n");
        Awaitility.await()
                .atMost(Patience.LIMIT)
                .until(() -> "expiry 251"
                        .equals(database.value(
                                "SELECT string_agg(key, ',') FROM howdah.document WHERE key LIKE 'expiry %'")));
    }

    @Test
    void answer_becomesADocument_thatIsMailedAndSentOn() throws Exception {
        long fetched = add("howdah.http('" + place.address() + "/r%C3%A9sum%C3%A9.bin', answer => 'document')");
        long mail =
                add("howdah.mail('bob@example.com', subject => 'x', \"text\" => 'x', sender => 'billing@telco.example',"
                        + " attach => ARRAY[" + fetched + "])");
        tasks.awaitState(mail, "DONE");
        MimeMultipart parts = (MimeMultipart) mailTo("bob@example.com").getContent();
        assertThat(parts.getBodyPart(1).getContentType()).startsWith("application/x-test");
        assertThat(parts.getBodyPart(1).getInputStream().readAllBytes()).isEqualTo(bytes());
        assertThat(database.value("SELECT concat_ws('|', d.name, d.type, d.pages, d.template, d.version, d.sha256 ="
                        + " sha256(d.bytes), d.expires - d.created, t.output = 'document ' || d.id)"
                        + " FROM howdah.document d JOIN task t ON t.id = d.task WHERE t.id = " + fetched))
                .isEqualTo("résumé.bin|application/x-test|0||0|t|7 days|t");
        String id = tasks.column("output", fetched).substring("document ".length());
        for (String each : List.of("task:" + fetched, "document:" + id)) {
            long sent = add("howdah.http('" + place.address() + "/hash#body=" + each + "')");
            tasks.awaitState(sent, "DONE");
            assertThat(tasks.column("output", sent))
                    .isEqualTo("POST application/x-test " + new String(bytes(), StandardCharsets.UTF_8).hashCode());
        }
        for (String each : List.of("document_of => " + fetched, "document => '" + id + "'")) {
            long sent = add("howdah.http('" + place.address() + "/hash', " + each + ", method => 'PUT')");
            tasks.awaitState(sent, "DONE");
            assertThat(tasks.column("output", sent))
                    .isEqualTo("PUT application/x-test " + new String(bytes(), StandardCharsets.UTF_8).hashCode());
        }
        assertThat(error("howdah.http('" + place.address() + "/hash#body=task:" + mail + "')"))
                .contains("there is no task " + mail + " with a document that role \"postgres\" may use");
        assertThat(error("howdah.http('" + place.address() + "/hash#body=file:/etc/passwd')"))
                .contains("the option body is document:UUID or task:ID");
        assertThat(error("howdah.http('" + place.address() + "/hash#body=task:" + fetched + "', 'x')"))
                .contains("input has to be empty");
        assertThat(error("howdah.http('" + place.address() + "/endless', answer => 'document')"))
                .endsWith("/endless answered more than 16384 KiB");
    }

    /** More than output takes, and no text. */
    private static byte[] bytes() {
        byte[] bytes = new byte[3 << 20];
        new java.util.Random(1).nextBytes(bytes);
        return bytes;
    }

    @Test
    void headers_ofARequest_areGiven_andNoneIsAddedByAValue() {
        String call = "howdah.http('" + place.address() + "/headers', headers => ";
        long sent = add(call + "'{\"Accept\": \"text/csv; q=1, */*\", \"X-Shop\": 7, \"X-None\": null}')");
        tasks.awaitState(sent, "DONE");
        assertThat(tasks.column("output", sent)).isEqualTo("text/csv; q=1, */*|7|null");
        long json = add(call + "'{\"Content-Type\": \"application/x-own\"}', payload => '{}')");
        tasks.awaitState(json, "DONE");
        assertThat(tasks.column("output", json)).endsWith("|null|application/x-own");
        assertThat(error(call + "jsonb_build_object('X-Shop', E'7\\r\\nX-Evil: 1'))"))
                .contains("has a control character");
        assertThat(error(call + "'{\"Authorization\": \"Basic s3cret\"}')"))
                .contains("the header authorization")
                .doesNotContain("s3cret");
        assertThat(error(call + "'{\"Host\": \"evil.example\"}')")).contains("is not yours to say");
        for (String each : List.of("'{\"X-A: 1\": \"2\"}')", "'[1]')"))
            assertThatThrownBy(() -> add(call + each)).as(each).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> add(call + "NULL, body => 'x', document_of => 1)"))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void functions_buildWhatTheyName_andRefuseTheRest() {
        long http = add("howdah.http('" + place.address() + "/echo?x=1', payload => '{\"a\": 1}', method => 'PUT',"
                + " key => 'a b&c#d%я')");
        tasks.awaitState(http, "FAIL"); // a key is ASCII
        assertThat(tasks.column("remote", http)).endsWith("/echo?x=1#key=a%20b%26c%23d%25%D1%8F&method=PUT");
        long sent = add(
                "howdah.http('" + place.address() + "/echo', payload => '{\"a\": 1}', method => 'PUT', key => 'k-1')");
        tasks.awaitState(sent, "DONE");
        assertThat(tasks.column("output", sent)).isEqualTo("PUT {\"a\": 1}");
        assertThat(tasks.column("attempts", sent)).isEqualTo("10");
        long ssh = add("howdah.ssh('ssh://switch@r17', 'port', args => ARRAY['it''s', '$(id)'], credential => 'net')");
        assertThat(tasks.column("input", ssh)).isEqualTo("port 'it'\\''s' '$(id)'");
        assertThat(tasks.column("remote", ssh)).isEqualTo("ssh://switch@r17?as=net");
        long lines = add("howdah.ssh('ssh://r17', lines => ARRAY['enable', 'end'], device => 'ios')");
        assertThat(tasks.column("input", lines)).isEqualTo("enable\nend");
        long file = add("howdah.sftp('sftp://bank@files/out/day.csv', 'a;b', credential => 'bank')");
        assertThat(tasks.column("remote", file)).isEqualTo("sftp://bank@files/out/day.csv?as=bank&op=put");
        assertThat(tasks.column("input", file)).isEqualTo("a;b");
        long list = add("howdah.sftp('sftp://files/out/', op => 'list')");
        assertThat(tasks.column("remote", list)).isEqualTo("sftp://files/out/?op=list");
        assertThat(tasks.column("remote", add("howdah.sftp('sftp://files/a')"))).isEqualTo("sftp://files/a?op=get");
        long warns = add("howdah.exec('backup', ARRAY['full'], answer => 'json')");
        assertThat(tasks.column("remote", warns)).isEqualTo("exec:backup?arg=full&answer=json");
        long apart = add("howdah.ssh('ssh://r17', 'x', credential => 'net', answer => 'json')");
        assertThat(tasks.column("remote", apart)).isEqualTo("ssh://r17?answer=json&as=net");
        long picture =
                add("howdah.mail('p@example.com', html => '<img src=\"cid:l\">', sender => 'billing@telco.example',"
                        + " pictures => '{\"l\": {\"type\": \"image/png\", \"base64\": \"iVBORw==\"}}')");
        tasks.awaitState(picture, "DONE");
        assertThat(tasks.column(
                        "remote",
                        add("howdah.mail('p@example.com', \"text\" => 'x', key => 'i-17', plan => 'infinity')")))
                .endsWith("?tls=none&key=i-17");
        assertThatThrownBy(() -> add("howdah.mail('p@example.com', html => 'x', pictures => '{\"l\": \"x\"}')"))
                .hasStackTraceContaining("a picture is an object of JSON");
        long program = add("howdah.exec('backup', ARRAY['full', 'a b&arg=c'], 'in')");
        assertThat(tasks.column("remote", program)).isEqualTo("exec:backup?arg=full&arg=a%20b%26arg%3Dc");
        assertThat(tasks.column("input", program)).isEqualTo("in");
        assertThat(tasks.column("attempts", program)).isEqualTo("1");
        for (String each : List.of(
                "howdah.sftp('sftp://files/a', op => 'put')",
                "howdah.sftp('sftp://files/a', 'x', op => 'get')",
                "howdah.sftp('sftp://files/a', op => 'chmod')",
                "howdah.sftp('ssh://files/a')",
                "howdah.exec('backup?arg=x')",
                "howdah.exec('backup', ARRAY[NULL])",
                "howdah.ssh('ssh://r17', lines => ARRAY[E'a\\nb'], device => 'ios')",
                "howdah.ssh('ssh://r17')",
                "howdah.http('https://user:secret@api.example/')",
                "howdah.http('file:///etc/passwd')",
                "howdah.mail('ann@example.com', subject => E'a\\r\\nBcc: eve@example.com', \"text\" => 'x')",
                "howdah.mail('ann@example.com', 'none')"))
            assertThatThrownBy(() -> add(each)).as(each).isInstanceOf(AssertionError.class);
    }
}
