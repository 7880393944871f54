package dev.howdah.reach.internal.mail;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import dev.howdah.reach.internal.secret.JsonKeys;
import jakarta.mail.BodyPart;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeBodyPart;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeMultipart;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The mail of a task: its input as an object of JSON, or as a whole message. Its Message-ID and the boundaries of its parts are made of the
 * task's key, so that a second run sends the same mail.
 */
final class MailMessage {
    private static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(20).build())
            .build());
    private static final Set<String> KEYS =
            Set.of("to", "cc", "bcc", "from", "replyTo", "subject", "text", "html", "headers", "attach");
    private static final Pattern LONE_RETURN = Pattern.compile("\\r(?!\\n)");
    private static final Set<String> ATTACHED = Set.of("name", "type", "text", "base64", "inline");
    private static final List<String> ONCE =
            List.of("From", "To", "Subject", "Date", "Message-ID", "Sender", "Reply-To");

    final MimeMessage message;
    final InternetAddress sender;
    final List<InternetAddress> recipients;

    private MailMessage(MimeMessage message, InternetAddress sender, List<InternetAddress> recipients) {
        this.message = message;
        this.sender = sender;
        this.recipients = recipients;
    }

    /**
     * Reads the input of a task.
     *
     * @param usual the sender of a message in JSON that names none; null if there is none
     * @param sent when, for the header Date
     */
    static MailMessage of(String input, Session session, String key, @Nullable String usual, Date sent)
            throws ReachFailure {
        try {
            return input.stripLeading().startsWith("{")
                    ? json(input, session, key, usual, sent)
                    : whole(input, session, key, sent);
        } catch (MessagingException e) {
            throw wrong("it is no message: " + e.getClass().getSimpleName());
        }
    }

    private static MailMessage json(String input, Session session, String key, @Nullable String usual, Date sent)
            throws ReachFailure, MessagingException {
        JsonNode node;
        try {
            node = JSON.readTree(input);
            JsonKeys.only(node, KEYS);
        } catch (JsonProcessingException e) {
            throw wrong("its input begins with { and is no JSON");
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
        Keyed message = new Keyed(session, key, null);
        List<InternetAddress> all = new ArrayList<>();
        for (String each : List.of("to", "cc", "bcc")) {
            List<InternetAddress> some = addresses(node, each);
            all.addAll(some);
            Message.RecipientType type = each.equals("to") ? Message.RecipientType.TO : Message.RecipientType.CC;
            if (!each.equals("bcc") && !some.isEmpty())
                message.setRecipients(type, some.toArray(InternetAddress[]::new));
        }
        if (all.isEmpty()) throw wrong("\"to\" is missing");
        String from = text(node, "from");
        InternetAddress sender = one("from", from == null ? usual : from);
        message.setFrom(sender);
        String reply = text(node, "replyTo");
        if (reply != null) message.setReplyTo(new InternetAddress[] {one("replyTo", reply)});
        String subject = text(node, "subject");
        message.setSubject(subject == null ? "" : oneLine("subject", subject), "UTF-8");
        for (Map.Entry<String, String> each : headers(node).entrySet())
            message.setHeader(
                    each.getKey(),
                    jakarta.mail.internet.MimeUtility.fold(each.getKey().length() + 2, each.getValue()));
        content(message, node, key);
        message.setSentDate(sent);
        message.saveChanges();
        return new MailMessage(message, sender, all);
    }

    /** Those that say what a mail is about, not whose it is or where it goes. */
    private static Map<String, String> headers(JsonNode node) throws ReachFailure {
        Map<String, String> all = new TreeMap<>();
        JsonNode headers = node.get("headers");
        if (headers == null) return all;
        for (Map.Entry<String, JsonNode> each : headers.properties()) {
            String name = each.getKey();
            if (!name.matches("(?i)(x-|list-)[a-z0-9-]{1,60}|in-reply-to|references|auto-submitted"))
                throw wrong("the header \"" + name.replaceAll("\\p{Cc}", "?")
                        + "\" is none that headers may have: X-..., List-..., In-Reply-To, References, Auto-Submitted");
            String value = oneLine(name, each.getValue().asText());
            if (!value.matches("[\\x20-\\x7e]{0,900}"))
                throw wrong("the header " + name + " has other letters than ASCII");
            all.put(name, value);
        }
        return all;
    }

    private static void content(MimeMessage message, JsonNode node, String key)
            throws ReachFailure, MessagingException {
        String text = text(node, "text");
        String html = text(node, "html");
        if (text == null && html == null) throw wrong("\"text\" or \"html\" is missing");
        JsonNode attached = node.get("attach");
        List<BodyPart> files = new ArrayList<>();
        List<BodyPart> pictures = new ArrayList<>();
        if (attached != null) {
            if (!attached.isArray()) throw wrong("\"attach\" has to be an array");
            for (JsonNode each : attached) (each.has("inline") ? pictures : files).add(file(each));
        }
        if (!pictures.isEmpty() && html == null) throw wrong("what is \"inline\" is for \"html\", which is missing");
        if ((text == null || html == null) && files.isEmpty() && pictures.isEmpty()) {
            message.setText(text == null ? html : text, "UTF-8", text == null ? "html" : "plain");
            message.setHeader("Content-Transfer-Encoding", "base64");
            return;
        }
        List<BodyPart> parts = new ArrayList<>();
        if (text != null) parts.add(part(text, "plain"));
        if (html != null) pictures.add(0, part(html, "html"));
        parts.addAll(joined("related", key + "-r", pictures));
        files.addAll(0, joined("alternative", key + "-a", parts));
        // One part alone has parts itself.
        if (files.size() == 1) message.setContent((MimeMultipart) content(files.get(0)));
        else message.setContent(new Bounded("mixed", key + "-m", files));
    }

    private static Object content(BodyPart part) throws MessagingException {
        try {
            return part.getContent();
        } catch (java.io.IOException e) {
            throw new MessagingException("a part cannot be read", e);
        }
    }

    /** As one part, if there are several. */
    private static List<BodyPart> joined(String subtype, String boundary, List<BodyPart> parts)
            throws MessagingException {
        if (parts.size() < 2) return parts;
        MimeBodyPart joined = new MimeBodyPart();
        joined.setContent(new Bounded(subtype, boundary, parts));
        return List.of(joined);
    }

    private static MimeBodyPart part(String text, String subtype) throws MessagingException {
        MimeBodyPart part = new MimeBodyPart();
        part.setText(text, "UTF-8", subtype);
        part.setHeader("Content-Transfer-Encoding", "base64");
        return part;
    }

    private static MimeBodyPart file(JsonNode node) throws ReachFailure, MessagingException {
        byte[] bytes;
        String name;
        String type;
        String inline;
        try {
            JsonKeys.only(node, ATTACHED);
            inline = JsonKeys.text(node, "inline");
            name = JsonKeys.text(node, "name");
            if (name == null) name = inline;
            type = JsonKeys.text(node, "type");
            String text = JsonKeys.text(node, "text");
            String base64 = JsonKeys.text(node, "base64");
            if (name == null || (text == null) == (base64 == null))
                throw wrong("what is attached has a \"name\", and either \"text\" or \"base64\"");
            bytes = text == null ? Base64.getMimeDecoder().decode(base64) : text.getBytes(StandardCharsets.UTF_8);
            if (type == null) type = text == null ? "application/octet-stream" : "text/plain; charset=utf-8";
        } catch (IllegalArgumentException e) {
            throw wrong("what is attached cannot be read: " + e.getMessage());
        }
        oneLine("name", name);
        if (name.matches(".*[/\\\\].*") || name.isBlank() || name.length() > 200)
            throw wrong("the \"name\" of what is attached has to be the name of a file, without / and \\");
        if (!type.matches("[a-z0-9]+/[a-z0-9.+-]+(; ?charset=[A-Za-z0-9-]+)?"))
            throw wrong("the \"type\" of what is attached has to be one such as application/pdf");
        MimeBodyPart part = new MimeBodyPart();
        part.setDataHandler(new jakarta.activation.DataHandler(new jakarta.mail.util.ByteArrayDataSource(bytes, type)));
        part.setHeader("Content-Type", type);
        part.setHeader("Content-Transfer-Encoding", "base64");
        part.setDisposition(inline == null ? "attachment" : "inline");
        if (inline != null) part.setHeader("Content-ID", "<" + contentId(inline) + ">");
        try {
            part.setFileName(jakarta.mail.internet.MimeUtility.encodeText(name, "UTF-8", null));
        } catch (java.io.UnsupportedEncodingException e) {
            throw new IllegalStateException(e);
        }
        return part;
    }

    /** By which the HTML names it: {@code <img src="cid:logo">}. */
    private static String contentId(String inline) throws ReachFailure {
        if (inline.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,59}")) return inline;
        throw wrong("\"inline\" has to be a name of letters, digits, . _ and -, as in <img src=\"cid:logo\">");
    }

    private static MailMessage whole(String input, Session session, String key, Date sent)
            throws ReachFailure, MessagingException {
        // Servers differ in whether one alone ends a line, and with it a header or the mail.
        if (LONE_RETURN.matcher(input).find()) throw wrong("it has a carriage return without a line feed behind it");
        byte[] bytes = input.replaceAll("\\r?\\n", "\r\n").getBytes(StandardCharsets.UTF_8);
        Keyed message = new Keyed(session, key, new ByteArrayInputStream(bytes));
        for (String each : ONCE) {
            String[] values = message.getHeader(each);
            if (values != null && values.length > 1) throw wrong("it has the header " + each + " twice");
        }
        List<InternetAddress> all = new ArrayList<>();
        for (String each : List.of("To", "Cc", "Bcc")) {
            String list = message.getHeader(each, ", ");
            if (list != null) all.addAll(parsed(each, list));
        }
        if (all.isEmpty()) throw wrong("it has no header To");
        InternetAddress sender = one("From", message.getHeader("From", ", "));
        String other = message.getHeader("Sender", ", ");
        if (other != null && !one("Sender", other).getAddress().equalsIgnoreCase(sender.getAddress()))
            throw wrong("its header Sender is another one than From");
        message.removeHeader("Bcc");
        if (message.getHeader("Date") == null) message.setSentDate(sent);
        if (message.getHeader("Message-ID") == null) message.updateMessageID();
        return new MailMessage(message, sender, all);
    }

    private static List<InternetAddress> addresses(JsonNode node, String key) throws ReachFailure {
        List<InternetAddress> all = new ArrayList<>();
        try {
            for (String each : JsonKeys.texts(node, key)) all.addAll(parsed(key, oneLine(key, each)));
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
        return all;
    }

    private static List<InternetAddress> parsed(String key, String text) throws ReachFailure {
        try {
            InternetAddress[] all = InternetAddress.parse(text, true);
            for (InternetAddress each : all) {
                each.validate();
                if (!each.getAddress()
                        .matches(
                                "[A-Za-z0-9!#$%&'*+/=?^_`{|}~][A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{0,63}@[A-Za-z0-9.-]{1,253}"))
                    throw wrong("\"" + key + "\" has an address that is none");
                each.setPersonal(each.getPersonal(), "UTF-8");
            }
            return Arrays.asList(all);
        } catch (AddressException | java.io.UnsupportedEncodingException e) {
            throw wrong("\"" + key + "\" has an address that is none");
        }
    }

    private static InternetAddress one(String key, @Nullable String text) throws ReachFailure {
        if (text == null) throw wrong("\"" + key + "\" is missing");
        List<InternetAddress> all = parsed(key, oneLine(key, text));
        if (all.size() != 1) throw wrong("\"" + key + "\" has to be one address");
        return all.get(0);
    }

    private static @Nullable String text(JsonNode node, String key) throws ReachFailure {
        try {
            return JsonKeys.text(node, key);
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    /** A line break in a value would begin another header. */
    private static String oneLine(String key, String value) throws ReachFailure {
        if (value.matches("(?s).*[\\p{Cc}\\x{2028}\\x{2029}].*"))
            throw wrong("\"" + key + "\" has a line break or another control character");
        return value;
    }

    private static ReachFailure wrong(String reason) {
        return ReachFailure.lasting(Code.INPUT, "the mail cannot be sent: " + reason);
    }

    /** One whose Message-ID is made of the key of its task. */
    private static final class Keyed extends MimeMessage {
        private final String key;

        Keyed(Session session, String key, @Nullable ByteArrayInputStream text) throws MessagingException {
            super(session);
            this.key = key;
            if (text != null) {
                parse(text);
                saved = true;
            }
        }

        @Override
        protected void updateMessageID() throws MessagingException {
            jakarta.mail.Address[] from = getFrom();
            String address = from == null || from.length == 0 ? "" : ((InternetAddress) from[0]).getAddress();
            setHeader("Message-ID", "<" + key + "@" + address.substring(address.lastIndexOf('@') + 1) + ">");
        }
    }

    /** Parts whose boundary is the same in each run. */
    private static final class Bounded extends MimeMultipart {
        Bounded(String subtype, String boundary, List<BodyPart> parts) throws MessagingException {
            super(subtype);
            jakarta.mail.internet.ContentType type = new jakarta.mail.internet.ContentType(contentType);
            type.setParameter("boundary", "=_" + boundary);
            contentType = type.toString();
            for (BodyPart each : parts) addBodyPart(each);
        }
    }
}
