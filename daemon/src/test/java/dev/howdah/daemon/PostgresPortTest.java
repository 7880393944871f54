package dev.howdah.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.howdah.daemon.config.PostgresPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PostgresPortTest {
    @Test
    void port_ofTheLastStart_isTakenAgain_unlessAnotherProgramHasIt(@TempDir Path directory) throws IOException {
        PostgresPort port = new PostgresPort(directory);
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port.remember(other.getLocalPort());
            assertThat(port.choose()).isNotEqualTo(other.getLocalPort());
        }
        port.remember(port.choose());
        assertThat(port.choose())
                .isEqualTo(Integer.parseInt(
                        Files.readString(directory.resolve("pg-port")).strip()));
    }

    // the start of the server then says what is wrong with it, and what to do
    @Test
    void port_ofADirectoryThatIsAFile_isAnyOne(@TempDir Path directory) throws IOException {
        assertThat(new PostgresPort(Files.writeString(directory.resolve("file"), "x")).choose())
                .isPositive();
    }
}
