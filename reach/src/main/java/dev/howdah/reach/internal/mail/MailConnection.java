package dev.howdah.reach.internal.mail;

import dev.howdah.reach.internal.call.Credential;
import dev.howdah.reach.internal.call.Target;
import jakarta.mail.Address;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import java.net.InetSocketAddress;
import java.util.Properties;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.eclipse.angus.mail.smtp.SMTPTransport;
import org.jspecify.annotations.Nullable;

/** A connection to a mail server. For one task at a time; it may be closed from any thread. */
final class MailConnection {
    private static final String CONNECT_MILLIS = "10000";
    private static final int CHECK_MILLIS = 3_000;

    /** Servers end a connection after some mails. */
    private static final int MOST_MAILS = 100;

    private final PinnedSockets sockets;
    private final Session session;
    private final SMTPTransport transport;
    private final String prefix;
    private int mails;

    private MailConnection(Target target, InetSocketAddress address, SSLContext tls, Properties properties)
            throws MessagingException {
        this.prefix = "mail." + target.scheme();
        this.sockets = new PinnedSockets(address, target.host(), tls.getSocketFactory());
        properties.put(prefix + ".socketFactory", sockets.withoutTls());
        properties.put(prefix + ".ssl.socketFactory", sockets);
        this.session = Session.getInstance(properties);
        this.transport = (SMTPTransport) session.getTransport(target.scheme());
    }

    /**
     * Connects and logs in.
     *
     * @param secure whether nothing is sent before the connection is encrypted
     * @param onStop takes what closes the connection meanwhile
     */
    static MailConnection open(
            Target target,
            InetSocketAddress address,
            SSLContext tls,
            @Nullable Credential credential,
            boolean secure,
            Consumer<Runnable> onStop)
            throws MessagingException {
        Properties properties = properties(target.scheme(), credential, secure);
        MailConnection made = new MailConnection(target, address, tls, properties);
        onStop.accept(made::abort);
        try {
            made.transport.connect(
                    target.host(),
                    target.port(),
                    credential == null ? null : credential.user(),
                    credential == null ? null : credential.secret());
            return made;
        } catch (MessagingException | RuntimeException e) {
            made.abort();
            throw e;
        }
    }

    private static Properties properties(String scheme, @Nullable Credential credential, boolean secure) {
        String prefix = "mail." + scheme;
        Properties all = new Properties();
        all.put(prefix + ".socketFactory.fallback", "false");
        all.put(prefix + ".ssl.checkserveridentity", "true");
        all.put(prefix + ".ssl.protocols", "TLSv1.2 TLSv1.3");
        if (scheme.equals("smtp") && secure) {
            all.put(prefix + ".starttls.enable", "true");
            all.put(prefix + ".starttls.required", "true");
        }
        all.put(prefix + ".auth", Boolean.toString(credential != null));
        all.put(prefix + ".auth.mechanisms", isToken(credential) ? "XOAUTH2" : "PLAIN LOGIN");
        all.put(prefix + ".connectiontimeout", CONNECT_MILLIS);
        all.put(prefix + ".sendpartial", "false");
        all.put(prefix + ".quitwait", "false");
        all.put(prefix + ".localhost", "localhost");
        // Whether a kept connection works is asked in a way that also forgets a mail which was begun in it.
        all.put(prefix + ".userset", "true");
        return all;
    }

    private static boolean isToken(@Nullable Credential credential) {
        return credential != null && credential.kind() == Credential.Kind.BEARER;
    }

    /** Sends the mail; returns the answer of the server. */
    @Nullable
    String send(MailMessage mail) throws MessagingException {
        session.getProperties().put(prefix + ".from", mail.sender.getAddress());
        transport.sendMessage(mail.message, mail.recipients.toArray(Address[]::new));
        mails++;
        return transport.getLastServerResponse();
    }

    /** Asks the server. */
    boolean works() {
        if (mails >= MOST_MAILS) return false;
        sockets.answerWithin(CHECK_MILLIS);
        boolean works = transport.isConnected();
        sockets.answerWithin(0);
        return works;
    }

    /** Takes leave of the server, which is not waited for. */
    void close() {
        try {
            sockets.answerWithin(CHECK_MILLIS);
            transport.close();
        } catch (MessagingException e) {
            // It is gone.
        } finally {
            abort();
        }
    }

    /** Closes it in the middle of what it does. */
    void abort() {
        sockets.close();
    }
}
