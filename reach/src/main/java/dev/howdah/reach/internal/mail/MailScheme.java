package dev.howdah.reach.internal.mail;

import dev.howdah.internal.http.SenderClock;
import dev.howdah.reach.internal.call.Addresses;
import dev.howdah.reach.internal.call.AnswerText;
import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.Credential;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.Scheme;
import dev.howdah.reach.internal.call.Senders;
import dev.howdah.reach.internal.call.Target;
import jakarta.mail.Address;
import jakarta.mail.AuthenticationFailedException;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import java.io.IOException;
import java.net.UnknownHostException;
import java.util.Date;
import java.util.Locale;
import java.util.Objects;
import java.util.Properties;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.eclipse.angus.mail.smtp.SMTPAddressFailedException;
import org.eclipse.angus.mail.smtp.SMTPSendFailedException;
import org.eclipse.angus.mail.smtp.SMTPSenderFailedException;
import org.eclipse.angus.mail.smtp.SMTPTransport;
import org.eclipse.angus.mail.util.MailConnectException;
import org.jspecify.annotations.Nullable;

/** Mails: smtp with STARTTLS, and smtps. A mail goes to all of its recipients or to none. Safe for use by many threads. */
public final class MailScheme implements Scheme {
    private static final int LARGEST = 10 << 20;
    private static final int MOST_RECIPIENTS = 50;
    private static final String CONNECT_MILLIS = "10000";

    private final Addresses addresses;
    private final SSLContext tls;
    private final Supplier<Senders> senders;

    /**
     * @param tls the authorities that are trusted
     * @param senders from whom mails may be, now
     */
    public MailScheme(Addresses addresses, SSLContext tls, Supplier<Senders> senders) {
        this.addresses = addresses;
        this.tls = tls;
        this.senders = senders;
    }

    @Override
    public String run(Call call) throws ReachFailure, IOException {
        Target target = call.target();
        target.onlyOptions("tls");
        Credential credential = call.credential();
        if (credential != null && credential.kind() != Credential.Kind.LOGIN)
            throw ReachFailure.lasting(
                    "the credential \"" + credential.name() + "\" is none for mails: its kind has to be login");
        String security = target.option("tls");
        if (security != null && !security.equals("none"))
            throw ReachFailure.lasting("the option tls is none or not given, not \"" + security + "\"");
        if (security != null && (credential != null || !call.privately()))
            throw ReachFailure.lasting(
                    "tls=none is for private places and without a credential: all else would be seen on its way");
        if (call.task().input().length() > LARGEST)
            throw ReachFailure.lasting("the mail has more than " + (LARGEST >> 20) + " MiB");
        String user = credential == null ? null : credential.user();
        Session session = Session.getInstance(properties(call, security == null));
        MailMessage mail = MailMessage.of(
                call.task().input(),
                session,
                call.task().key(),
                user != null && user.contains("@") ? user : null,
                Date.from(SenderClock.now()));
        check(call, mail, user);
        return send(call, session, mail);
    }

    private void check(Call call, MailMessage mail, @Nullable String user) throws ReachFailure {
        String sender = mail.sender.getAddress();
        if (!senders.get().has(call.task().owner(), sender) && !sender.equalsIgnoreCase(user))
            throw ReachFailure.lasting(
                    "role \"" + call.task().owner() + "\" may not send mails from " + sender,
                    null,
                    "The administrator of the program can allow it: \"senders\": [\"" + sender + "="
                            + call.task().owner() + "\"] in the file of --reach");
        if (mail.recipients.size() > MOST_RECIPIENTS)
            throw ReachFailure.lasting("the mail has more than " + MOST_RECIPIENTS + " recipients");
    }

    private Properties properties(Call call, boolean secure) {
        String prefix = "mail." + call.target().scheme();
        PinnedSockets sockets = new PinnedSockets(addresses, call, tls.getSocketFactory());
        Properties all = new Properties();
        all.put(prefix + ".socketFactory", sockets.withoutTls());
        all.put(prefix + ".ssl.socketFactory", sockets);
        all.put(prefix + ".socketFactory.fallback", "false");
        all.put(prefix + ".ssl.checkserveridentity", "true");
        all.put(prefix + ".ssl.protocols", "TLSv1.2 TLSv1.3");
        if (call.target().scheme().equals("smtp") && secure) {
            all.put(prefix + ".starttls.enable", "true");
            all.put(prefix + ".starttls.required", "true");
        }
        all.put(prefix + ".auth", Boolean.toString(call.credential() != null));
        all.put(prefix + ".auth.mechanisms", "PLAIN LOGIN");
        all.put(prefix + ".connectiontimeout", CONNECT_MILLIS);
        all.put(prefix + ".timeout", Long.toString(Math.min(call.time().toMillis(), Integer.MAX_VALUE)));
        all.put(prefix + ".sendpartial", "false");
        all.put(prefix + ".quitwait", "false");
        all.put(prefix + ".localhost", "localhost");
        return all;
    }

    private static String send(Call call, Session session, MailMessage mail) throws ReachFailure, IOException {
        Target target = call.target();
        Credential credential = call.credential();
        try (SMTPTransport transport = (SMTPTransport) session.getTransport(target.scheme())) {
            session.getProperties().put("mail." + target.scheme() + ".from", mail.sender.getAddress());
            transport.connect(
                    target.host(),
                    target.port(),
                    credential == null ? null : credential.user(),
                    credential == null ? null : credential.secret());
            transport.sendMessage(mail.message, mail.recipients.toArray(Address[]::new));
            return AnswerText.shown(transport.getLastServerResponse()) + "\nMessage-ID: " + mail.message.getMessageID();
        } catch (AuthenticationFailedException e) {
            // Repeated log-ins lock accounts.
            throw ReachFailure.lasting(target + " refused the login", AnswerText.shown(e.getMessage()), null);
        } catch (MailConnectException e) {
            throw notConnected(target, e);
        } catch (MessagingException e) {
            throw failed(target, e);
        }
    }

    private static ReachFailure notConnected(Target target, MailConnectException e) {
        Exception cause = e.getNextException();
        if (cause instanceof Addresses.PrivateAddressException)
            return ReachFailure.lasting(
                    target + " may not be reached: " + cause.getMessage(),
                    null,
                    "Where this is meant, name it under \"private\" in the file of --reach.");
        if (cause instanceof SSLException)
            return ReachFailure.lasting(
                    "no secure connection to " + target, AnswerText.shown(cause.getMessage()), null);
        if (cause instanceof UnknownHostException)
            return ReachFailure.passing("the host " + target.host() + " is not known", null);
        return ReachFailure.passing(
                target + " cannot be reached", cause == null ? null : AnswerText.shown(cause.getMessage()));
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
                    ? ReachFailure.passing(what + " for now", answer)
                    : ReachFailure.lasting(what, answer, null);
        }
        for (Throwable each = e;
                each != null;
                each = each instanceof MessagingException m ? m.getNextException() : each.getCause()) {
            if (each instanceof SSLException)
                return ReachFailure.lasting(
                        "no secure connection to " + target, AnswerText.shown(each.getMessage()), null);
            if (each instanceof IOException lost) throw lost;
        }
        String said = String.valueOf(e.getMessage());
        if (said.toLowerCase(Locale.ROOT).contains("starttls"))
            return ReachFailure.lasting(
                    "no secure connection to " + target,
                    "The server does not offer STARTTLS.",
                    "A private place without a login may have ?tls=none.");
        return ReachFailure.passing("the mail could not be sent by " + target, AnswerText.shown(said));
    }

    private static int code(MessagingException e) {
        if (e instanceof SMTPSendFailedException failed) return failed.getReturnCode();
        if (e instanceof SMTPAddressFailedException failed) return failed.getReturnCode();
        if (e instanceof SMTPSenderFailedException failed) return failed.getReturnCode();
        return 0;
    }

    @Override
    public void close() {
        // Each mail has a connection of its own.
    }
}
