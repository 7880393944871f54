package dev.howdah.reach.internal.mail;

import dev.howdah.internal.http.SenderClock;
import dev.howdah.reach.internal.call.Addresses;
import dev.howdah.reach.internal.call.AnswerText;
import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.Credential;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import dev.howdah.reach.internal.call.Scheme;
import dev.howdah.reach.internal.call.Senders;
import dev.howdah.reach.internal.call.Target;
import dev.howdah.reach.internal.document.TemplateRenderer;
import dev.howdah.reach.internal.keep.ConnectionUse;
import dev.howdah.reach.internal.keep.KeptConnections;
import dev.howdah.reach.internal.probe.Connecting;
import dev.howdah.reach.internal.probe.Probe;
import dev.howdah.reach.internal.probe.ProbeSteps;
import dev.howdah.reach.internal.tls.TlsErrors;
import jakarta.mail.AuthenticationFailedException;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Date;
import java.util.Locale;
import java.util.Objects;
import java.util.Properties;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.eclipse.angus.mail.smtp.SMTPAddressFailedException;
import org.eclipse.angus.mail.smtp.SMTPSendFailedException;
import org.eclipse.angus.mail.smtp.SMTPSenderFailedException;
import org.eclipse.angus.mail.util.MailConnectException;
import org.jspecify.annotations.Nullable;

/** Mails: smtp with STARTTLS, and smtps. A mail goes to all of its recipients or to none. Safe for use by many threads. */
public final class MailScheme implements Scheme, Probe {
    private static final int LARGEST = 10 << 20;
    private static final int MOST_RECIPIENTS = 50;
    private static final int MOST_KEPT = 100;
    private static final Pattern ENCODED = Pattern.compile("334 ([A-Za-z0-9+/=]+)\\s*");
    private static final Duration KEPT = Duration.ofSeconds(30);

    /** For the texts of mails; connections have sessions of their own. */
    private static final Session TEXTS = Session.getInstance(new Properties());

    private final Addresses addresses;
    private final SSLContext tls;
    private final Supplier<Senders> senders;
    private final Supplier<DkimKeys> keys;
    private final MailInput input;
    private final KeptConnections<MailConnection> kept =
            new KeptConnections<>("smtp", KEPT, MOST_KEPT, MailConnection::works, MailConnection::close);

    /**
     * @param tls the authorities that are trusted
     * @param senders from whom mails may be, now
     * @param keys that sign mails, now
     * @param renderer for their templates
     */
    public MailScheme(
            Addresses addresses,
            SSLContext tls,
            Supplier<Senders> senders,
            Supplier<DkimKeys> keys,
            TemplateRenderer renderer) {
        this.input = new MailInput(renderer);
        this.addresses = addresses;
        this.tls = tls;
        this.senders = senders;
        this.keys = keys;
    }

    @Override
    public String run(Call call) throws ReachFailure, IOException, InterruptedException {
        checkLogin(call);
        Credential credential = call.credential();
        String text = input.of(call);
        if (text.length() > LARGEST)
            throw ReachFailure.lasting(Code.INPUT, "the mail has more than " + (LARGEST >> 20) + " MiB");
        String user = credential == null ? null : credential.user();
        MailMessage mail = MailMessage.of(
                text, TEXTS, key(call), user != null && user.contains("@") ? user : null, Date.from(SenderClock.now()));
        check(call, mail, user);
        sign(mail);
        return send(call, mail);
    }

    /** Of which the Message-ID is made. */
    private static String key(Call call) throws ReachFailure {
        String own = call.target().option("key");
        if (own == null) return call.task().key();
        if (own.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,99}")) return own;
        throw ReachFailure.lasting(
                Code.ADDRESS,
                "the option key has to be 1 to 100 letters, digits, . _ and -: the Message-ID is made of it");
    }

    private static void checkKind(Credential credential) throws ReachFailure {
        boolean token = credential.kind() == Credential.Kind.BEARER;
        if (credential.kind() != Credential.Kind.LOGIN && !token)
            throw ReachFailure.lasting(
                    Code.CREDENTIAL,
                    "the credential \"" + credential.name()
                            + "\" is none for mails: its kind has to be login, or bearer with a user");
        if (token && credential.user() == null)
            throw ReachFailure.lasting(
                    Code.CREDENTIAL,
                    "the credential \"" + credential.name()
                            + "\" has no user, without which a mail server takes no token: \"user\"");
    }

    private static void checkLogin(Call call) throws ReachFailure {
        Target target = call.target();
        target.onlyOptions("tls", "key");
        Credential credential = call.credential();
        if (credential != null) checkKind(credential);
        String security = target.option("tls");
        if (security != null && !security.equals("none"))
            throw ReachFailure.lasting(Code.ADDRESS, "the option tls is none or not given, not \"" + security + "\"");
        if (security != null && (credential != null || !call.privately()))
            throw ReachFailure.lasting(
                    Code.ADDRESS,
                    "tls=none is for private places and without a credential: all else would be seen on its way");
    }

    @Override
    public void probe(Call call, ProbeSteps steps) throws ReachFailure, IOException, InterruptedException {
        checkLogin(call);
        InetSocketAddress address = Connecting.lookUp(addresses, call, steps);
        Connecting.connect(address, call, steps).close();
        boolean secure = call.target().option("tls") == null;
        steps.begin(secure ? "tls" : "smtp");
        Call stranger = new Call(call.task(), call.target(), null, call.privately(), call.time(), call.cancellation());
        open(stranger, address, call.cancellation()::onCancel).close();
        steps.done(secure ? "encrypted, and the certificate is trusted" : "the server answers, not encrypted");
        if (call.credential() == null) return;
        steps.begin("login");
        open(call, address, call.cancellation()::onCancel).close();
        steps.done("as " + call.credential().user());
    }

    private void sign(MailMessage mail) throws ReachFailure {
        DkimKeys.Key key = keys.get().of(mail.sender.getAddress());
        if (key == null) return;
        try {
            DkimSignature.sign(mail.message, key);
        } catch (MessagingException e) {
            throw ReachFailure.lasting(Code.CREDENTIAL, "the mail cannot be signed with the key of " + key);
        }
    }

    private void check(Call call, MailMessage mail, @Nullable String user) throws ReachFailure {
        String sender = mail.sender.getAddress();
        if (!senders.get().has(call.task().owner(), sender) && !sender.equalsIgnoreCase(user))
            throw ReachFailure.lasting(
                    Code.NOT_ALLOWED,
                    "role \"" + call.task().owner() + "\" may not send mails from " + sender,
                    null,
                    "The administrator of the program can allow it: \"senders\": [\"" + sender + "="
                            + call.task().owner() + "\"] in the file of --reach");
        if (mail.recipients.size() > MOST_RECIPIENTS)
            throw ReachFailure.lasting(Code.INPUT, "the mail has more than " + MOST_RECIPIENTS + " recipients");
    }

    private String send(Call call, MailMessage mail) throws ReachFailure, IOException, InterruptedException {
        Target target = call.target();
        InetSocketAddress address = addresses.pinned(call);
        try (KeptConnections<MailConnection>.Lease lease =
                kept.lease(ConnectionUse.of(call, address), call, onStop -> open(call, address, onStop))) {
            String answer = lease.connection().send(mail);
            lease.keep();
            return AnswerText.shown(answer) + "\nMessage-ID: " + mail.message.getMessageID();
        } catch (MessagingException e) {
            throw failed(target, e);
        }
    }

    private MailConnection open(Call call, InetSocketAddress address, Consumer<Runnable> onStop)
            throws ReachFailure, IOException {
        Target target = call.target();
        try {
            return MailConnection.open(target, address, tls, call.credential(), target.option("tls") == null, onStop);
        } catch (AuthenticationFailedException e) {
            String said = AnswerText.shown(e.getMessage());
            Credential credential = call.credential();
            // A token expires, and another one is on its way.
            if (credential != null && credential.kind() == Credential.Kind.BEARER)
                throw ReachFailure.passing(Code.LOGIN, target + " refused the token", reason(e));
            // Repeated log-ins lock accounts.
            throw ReachFailure.lasting(Code.LOGIN, target + " refused the login", said, null);
        } catch (MailConnectException e) {
            throw notConnected(target, e);
        } catch (MessagingException e) {
            throw failed(target, e);
        }
    }

    /** Why a token was refused: servers say it in base64. */
    private static @Nullable String reason(AuthenticationFailedException e) {
        String said = String.valueOf(e.getMessage());
        Matcher encoded = ENCODED.matcher(said);
        if (!encoded.matches()) return AnswerText.shown(said);
        try {
            byte[] bytes = Base64.getDecoder().decode(encoded.group(1));
            return AnswerText.shown(new String(bytes, StandardCharsets.UTF_8));
        } catch (IllegalArgumentException none) {
            return AnswerText.shown(said);
        }
    }

    private static ReachFailure notConnected(Target target, MailConnectException e) {
        Exception cause = e.getNextException();
        if (cause instanceof SSLException insecure)
            return ReachFailure.lasting(
                    Code.NOT_SECURE, "no secure connection to " + target, TlsErrors.text(insecure), null);
        return ReachFailure.passing(
                        Code.NOT_CONNECTED,
                        target + " cannot be reached",
                        cause == null ? null : AnswerText.shown(cause.getMessage()))
                .unavailable("it cannot be reached");
    }

    private static ReachFailure failed(Target target, MessagingException e) throws IOException {
        MessagingException worst = null;
        for (MessagingException each : Stream.iterate(
                        e,
                        Objects::nonNull,
                        (Exception x) -> x instanceof MessagingException m ? m.getNextException() : null)
                .filter(MessagingException.class::isInstance)
                .map(MessagingException.class::cast)
                .toList()) if (code(each) > (worst == null ? 0 : code(worst))) worst = each;
        if (worst != null) {
            String answer = AnswerText.shown(worst.getMessage());
            boolean recipient = worst instanceof SMTPAddressFailedException;
            String what = target + " refused " + (recipient ? "a recipient" : "the mail");
            return code(worst) < 500
                    ? ReachFailure.passing(Code.MAIL_FOR_NOW, what + " for now", answer)
                    : ReachFailure.lasting(Code.MAIL_REFUSED, what, answer, null)
                            .answered();
        }
        for (Exception each = e; each instanceof MessagingException m; each = m.getNextException())
            if (code(m) < 0) throw new EOFException("The server has ended the connection.");
        for (Throwable each = e;
                each != null;
                each = each instanceof MessagingException m ? m.getNextException() : each.getCause()) {
            if (each instanceof SSLException insecure)
                return ReachFailure.lasting(
                        Code.NOT_SECURE, "no secure connection to " + target, TlsErrors.text(insecure), null);
            if (each instanceof BoundedAnswers.TooMuchException)
                return ReachFailure.lasting(
                        Code.ANSWER, target + " answered more than " + BoundedAnswers.MOST / 1024 + " KiB");
            if (each instanceof IOException lost) throw lost;
        }
        String said = String.valueOf(e.getMessage());
        if (said.toLowerCase(Locale.ROOT).contains("starttls"))
            return ReachFailure.lasting(
                    Code.NOT_SECURE,
                    "no secure connection to " + target,
                    "The server does not offer STARTTLS.",
                    "A private place without a login may have ?tls=none.");
        return ReachFailure.passing(
                Code.MAIL_FOR_NOW, "the mail could not be sent by " + target, AnswerText.shown(said));
    }

    /** What a server has answered; 0 where this is no answer of one, and less where the connection has ended in place of it. */
    private static int code(MessagingException e) {
        if (e instanceof SMTPSendFailedException failed) return failed.getReturnCode();
        if (e instanceof SMTPAddressFailedException failed) return failed.getReturnCode();
        if (e instanceof SMTPSenderFailedException failed) return failed.getReturnCode();
        return 0;
    }

    @Override
    public void close() {
        kept.close();
    }
}
