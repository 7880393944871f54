package dev.howdah.embedded;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** A process that starts a server, tells its port and pid in one line, and then does nothing until it is killed. */
final class ServerProgram {
    private ServerProgram() {}

    /** Arguments: the directory, and the directory for the unpacked PostgreSQL. */
    public static void main(String[] args) throws InterruptedException {
        EmbeddedPostgres server =
                EmbeddedPostgres.at(Path.of(args[0])).binaries(Path.of(args[1])).start();
        System.out.println(server.port() + " " + server.pid());
        new CountDownLatch(1).await();
        server.close();
    }
}
