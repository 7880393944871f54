package dev.howdah.embedded.internal.system;

import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;

/** Exceptions of the file system in words: theirs often hold nothing but a path. */
public final class IoErrors {
    private IoErrors() {}

    public static String of(Throwable e) {
        @Nullable String message = e.getMessage();
        if (e instanceof AccessDeniedException) {
            return message + ": permission denied";
        }
        if (e instanceof NoSuchFileException) {
            return message + ": no such file or directory";
        }
        if (e instanceof FileAlreadyExistsException) {
            return message + ": exists and is not a directory";
        }
        return message == null ? e.getClass().getSimpleName() : message;
    }
}
