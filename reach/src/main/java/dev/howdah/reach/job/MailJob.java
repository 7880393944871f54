package dev.howdah.reach.job;

import dev.howdah.job.Kind;
import dev.howdah.spi.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A mail: the payload of jobs of the kind {@code howdah.mail}, made by a {@linkplain #builder builder}. As JSON it is one flat object, whose keys
 * are the names of the components; those that are missing are null, empty or false. Immutable.
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

    /** Copies what can be changed. Lists and the map may be null in JSON. */
    public MailJob {
        to = copy(to);
        cc = copy(cc);
        bcc = copy(bcc);
        headers = headers == null ? Map.of() : Map.copyOf(headers);
        attachments = copy(attachments);
    }

    private static <T> List<T> copy(@Nullable List<T> given) {
        return given == null ? List.of() : List.copyOf(given);
    }

    /**
     * Returns a builder of a mail that has no text yet.
     *
     * @param relay the mail server: {@code smtp://relay.example} or {@code smtps://relay.example}
     */
    public static Builder builder(String relay, String from, String... to) {
        return new Builder(relay, from, to);
    }

    /** Collects what is in a mail. Each method returns this builder. Not safe for use by many threads. */
    public static final class Builder {
        private final String relay;
        private final String from;
        private final List<String> to;
        private List<String> cc = List.of();
        private List<String> bcc = List.of();
        private @Nullable String replyTo;
        private @Nullable String subject;
        private @Nullable String text;
        private @Nullable String html;
        private @Nullable String template;
        private @Nullable String data;
        private final Map<String, String> headers = new LinkedHashMap<>();
        private final List<Attachment> attachments = new ArrayList<>();
        private @Nullable String credential;
        private boolean unencrypted;
        private @Nullable String key;
        private @Nullable Duration timeout;

        private Builder(String relay, String from, String... to) {
            this.relay = relay;
            this.from = from;
            this.to = List.of(to);
        }

        /** Sets the recipients of copies. */
        public Builder cc(String... recipients) {
            cc = List.of(recipients);
            return this;
        }

        /** Sets the recipients of copies of which the others are not told. */
        public Builder bcc(String... recipients) {
            bcc = List.of(recipients);
            return this;
        }

        /** Sets the address for replies. */
        public Builder replyTo(String address) {
            replyTo = address;
            return this;
        }

        /** Sets the subject. */
        public Builder subject(String line) {
            subject = line;
            return this;
        }

        /** Sets the text. */
        public Builder text(String plain) {
            text = plain;
            return this;
        }

        /** Sets the HTML. */
        public Builder html(String page) {
            html = page;
            return this;
        }

        /** Takes subject and texts that are not set from these templates, filled with that data, an object of JSON. */
        public Builder template(String name, String json) {
            template = name;
            data = json;
            return this;
        }

        /** Adds a header: {@code X-...}, {@code List-...}, {@code In-Reply-To}, {@code References} or {@code Auto-Submitted}. */
        public Builder header(String name, String value) {
            headers.put(name, value);
            return this;
        }

        /**
         * Adds a file.
         *
         * @param type as of a MIME part, {@code application/pdf}
         * @param bytes not copied, and not to be changed
         */
        public Builder attach(String name, String type, byte[] bytes) {
            attachments.add(new Attachment(name, type, bytes));
            return this;
        }

        /** Sets the login: the name of one of the credentials of the {@linkplain dev.howdah.reach.ReachSettings settings}. */
        public Builder credential(String name) {
            credential = name;
            return this;
        }

        /** Sends the mail without TLS: for servers in private networks, and not together with a login. */
        public Builder withoutTls() {
            unencrypted = true;
            return this;
        }

        /** Sets what the Message-ID is made of, the same for each attempt. Defaults to the content of the mail. */
        public Builder key(String unique) {
            key = unique;
            return this;
        }

        /** Sets the limit for each attempt, above zero. Defaults to 30 s. */
        public Builder timeout(Duration time) {
            timeout = time;
            return this;
        }

        /** Returns the mail. */
        public MailJob build() {
            return new MailJob(
                    relay,
                    from,
                    to,
                    cc,
                    bcc,
                    replyTo,
                    subject,
                    text,
                    html,
                    template,
                    data,
                    headers,
                    attachments,
                    credential,
                    unencrypted,
                    key,
                    timeout);
        }
    }
}
