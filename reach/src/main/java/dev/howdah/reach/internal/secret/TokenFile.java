package dev.howdah.reach.internal.secret;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A secret that another program writes anew from time to time, such as a token that expires: read again when its file has changed. What
 * cannot be read leaves the one before. Safe for use by many threads.
 */
public final class TokenFile {
    private static final Logger log = LoggerFactory.getLogger(TokenFile.class);

    /** What a file that was replaced or written again has another one of. */
    private record Version(
            FileTime time, long size, @Nullable Object key) {
        static @Nullable Version of(Path path) {
            try {
                BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class);
                return new Version(now.lastModifiedTime(), now.size(), now.fileKey());
            } catch (IOException e) {
                return null;
            }
        }
    }

    private final SecretSource source;
    private final String file;
    private final UnaryOperator<String> checked;
    private @Nullable Version version;
    private String secret;

    /**
     * @param checked makes a secret of the text of the file, or throws an {@link IllegalArgumentException}
     * @throws IllegalArgumentException if the file cannot be read, or is none
     */
    public TokenFile(SecretSource source, String file, UnaryOperator<String> checked) {
        this.source = source;
        this.file = file;
        this.checked = checked;
        this.version = Version.of(source.secretPath(file));
        this.secret = checked.apply(source.file(file));
    }

    /** The secret as it stands there now. */
    public synchronized String now() {
        Version found = Version.of(source.secretPath(file));
        if (found == null || found.equals(version)) return secret;
        version = found;
        try {
            secret = checked.apply(source.file(file));
        } catch (IllegalArgumentException e) {
            log.warn("a secret that was changed cannot be used, the one before stays: {}", e.getMessage());
        }
        return secret;
    }
}
