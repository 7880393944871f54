package dev.howdah.reach.job;

import dev.howdah.job.Kind;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A mail: the payload of jobs of the kind {@code howdah.mail}. Immutable: each method that sets something returns a copy.
 *
 * @param relay the mail server: {@code smtp://relay.example} (with STARTTLS) or {@code smtps://relay.example}
 * @param from the sender, one that the settings allow
 * @param to the recipients, {@code Ann <ann@example.com>}
 * @param template the name of templates for what is not given: {@code NAME.subject}, {@code NAME.text}, {@code NAME.html}; null for none
 * @param data of the templates, an object of JSON as text, so that numbers stay as they are written; null: none
 * @param headers more of them: {@code X-...}, {@code List-...}, {@code In-Reply-To}, {@code References}, {@code Auto-Submitted}
 * @param credential the name of one of the {@linkplain dev.howdah.reach.ReachSettings settings}, for the login; null for none
 * @param unencrypted without TLS, to servers of private networks and without a login alone
 * @param key what the Message-ID is made of; null: what is in the mail. Needed where attempts may differ, and two mails of a job must
 *     not have the same
 * @param timeout of an attempt; null: 30 s
 */
public record MailJob(
        String relay,
        String from,
        List<String> to,
        List<String> cc,
        List<String> bcc,
        @Nullable String replyTo,
        @Nullable String subject,
        @Nullable String text,
        @Nullable String html,
        @Nullable String template,
        @Nullable String data,
        Map<String, String> headers,
        List<Attachment> attachments,
        @Nullable String credential,
        boolean unencrypted,
        @Nullable String key,
        @Nullable Duration timeout) {
    /** The kind. */
    public static final Kind<MailJob> KIND =
            Kind.of("howdah.mail", MailJob.class).retries(ReachJobs.patient(RetryPolicy.standard()));

    /**
     * A file in a mail.
     *
     * @param name as that of a file
     * @param type as of a MIME part, {@code application/pdf}
     * @param bytes not copied, and not to be changed
     */
    @SuppressWarnings("ArrayRecordComponent") // of megabytes, and never compared
    public record Attachment(String name, String type, byte[] bytes) {}

    public MailJob(
            String relay,
            String from,
            List<String> to,
            @Nullable List<String> cc,
            @Nullable List<String> bcc,
            @Nullable String replyTo,
            @Nullable String subject,
            @Nullable String text,
            @Nullable String html,
            @Nullable String template,
            @Nullable String data,
            @Nullable Map<String, String> headers,
            @Nullable List<Attachment> attachments,
            @Nullable String credential,
            boolean unencrypted,
            @Nullable String key,
            @Nullable Duration timeout) {
        this.relay = relay;
        this.from = from;
        this.to = to == null ? List.of() : List.copyOf(to);
        this.cc = cc == null ? List.of() : List.copyOf(cc);
        this.bcc = bcc == null ? List.of() : List.copyOf(bcc);
        this.replyTo = replyTo;
        this.subject = subject;
        this.text = text;
        this.html = html;
        this.template = template;
        this.data = data;
        this.headers = headers == null ? Map.of() : Map.copyOf(headers);
        this.attachments = attachments == null ? List.of() : List.copyOf(attachments);
        this.credential = credential;
        this.unencrypted = unencrypted;
        this.key = key;
        this.timeout = timeout;
    }

    /**
     * A mail without a text yet.
     *
     * @param relay the mail server: {@code smtp://relay.example} or {@code smtps://relay.example}
     */
    public static MailJob of(String relay, String from, String... to) {
        return new MailJob(
                relay,
                from,
                List.of(to),
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                false,
                null,
                null);
    }

    private Parts parts() {
        return new Parts(this);
    }

    /** With that subject. */
    public MailJob subject(String line) {
        Parts parts = parts();
        parts.subject = line;
        return parts.mail();
    }

    /** With that text. */
    public MailJob text(String plain) {
        Parts parts = parts();
        parts.text = plain;
        return parts.mail();
    }

    /** With that HTML. */
    public MailJob html(String page) {
        Parts parts = parts();
        parts.html = page;
        return parts.mail();
    }

    /** With copies to these. */
    public MailJob cc(String... recipients) {
        Parts parts = parts();
        parts.cc = List.of(recipients);
        return parts.mail();
    }

    /** With copies to these, of which the others are not told. */
    public MailJob bcc(String... recipients) {
        Parts parts = parts();
        parts.bcc = List.of(recipients);
        return parts.mail();
    }

    /** With that address for replies. */
    public MailJob replyTo(String address) {
        Parts parts = parts();
        parts.replyTo = address;
        return parts.mail();
    }

    /** With subject and texts of these templates, filled with that data, an object of JSON. */
    public MailJob template(String name, String json) {
        Parts parts = parts();
        parts.template = name;
        parts.data = json;
        return parts.mail();
    }

    /**
     * With one more file.
     *
     * @param type as of a MIME part, {@code application/pdf}
     * @param bytes not copied, and not to be changed
     */
    public MailJob attach(String name, String type, byte[] bytes) {
        Parts parts = parts();
        parts.attachments.add(new Attachment(name, type, bytes));
        return parts.mail();
    }

    /** With the login of that name, one of the credentials of the {@linkplain dev.howdah.reach.ReachSettings settings}. */
    public MailJob credential(String name) {
        Parts parts = parts();
        parts.credential = name;
        return parts.mail();
    }

    /** Without TLS: for servers in private networks, and not together with a login. */
    public MailJob withoutTls() {
        Parts parts = parts();
        parts.unencrypted = true;
        return parts.mail();
    }

    /** With a text that the Message-ID is made of, the same for each attempt; by default it is made of the content of the mail. */
    public MailJob key(String text) {
        Parts parts = parts();
        parts.key = text;
        return parts.mail();
    }

    /** With a limit for each attempt, above zero; by default 30 s. */
    public MailJob timeout(Duration time) {
        Parts parts = parts();
        parts.timeout = time;
        return parts.mail();
    }

    /** What a copy is made of. */
    private static final class Parts {
        private final MailJob from;
        private List<String> cc;
        private List<String> bcc;
        private @Nullable String replyTo;
        private @Nullable String subject;
        private @Nullable String text;
        private @Nullable String html;
        private @Nullable String template;
        private @Nullable String data;
        private final List<Attachment> attachments;
        private @Nullable String credential;
        private boolean unencrypted;
        private @Nullable String key;
        private @Nullable Duration timeout;

        Parts(MailJob from) {
            this.from = from;
            cc = from.cc;
            bcc = from.bcc;
            replyTo = from.replyTo;
            subject = from.subject;
            text = from.text;
            html = from.html;
            template = from.template;
            data = from.data;
            attachments = new ArrayList<>(from.attachments);
            credential = from.credential;
            unencrypted = from.unencrypted;
            key = from.key;
            timeout = from.timeout;
        }

        MailJob mail() {
            return new MailJob(
                    from.relay,
                    from.from,
                    from.to,
                    cc,
                    bcc,
                    replyTo,
                    subject,
                    text,
                    html,
                    template,
                    data,
                    from.headers,
                    attachments,
                    credential,
                    unencrypted,
                    key,
                    timeout);
        }
    }
}
