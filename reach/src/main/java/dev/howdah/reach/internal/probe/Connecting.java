package dev.howdah.reach.internal.probe;

import dev.howdah.reach.internal.call.Addresses;
import dev.howdah.reach.internal.call.AnswerText;
import dev.howdah.reach.internal.call.Call;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;

/** The steps that all schemes with hosts have. Without state. */
public final class Connecting {
    private static final Duration CONNECT = Duration.ofSeconds(10);

    private Connecting() {}

    /** Looks up the host; the address is checked as that of a task is. */
    public static InetSocketAddress lookUp(Addresses addresses, Call call, ProbeSteps steps) throws ReachFailure {
        steps.begin("dns");
        InetSocketAddress address = addresses.pinned(call);
        steps.done(address.getAddress().getHostAddress());
        return address;
    }

    /** Connects to an address, without a byte sent. The caller closes it. */
    public static Socket connect(InetSocketAddress address, Call call, ProbeSteps steps) throws ReachFailure {
        steps.begin("tcp");
        Socket socket = new Socket();
        call.cancellation().onCancel(() -> close(socket));
        try {
            socket.connect(address, Math.toIntExact(CONNECT.toMillis()));
            steps.done("port " + address.getPort() + " answers");
            return socket;
        } catch (IOException e) {
            close(socket);
            throw ReachFailure.passing(
                    Code.NOT_CONNECTED,
                    "port " + address.getPort() + " cannot be reached: " + AnswerText.shown(e.getMessage()),
                    null);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is gone.
        }
    }
}
