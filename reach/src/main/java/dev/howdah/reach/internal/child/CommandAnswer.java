package dev.howdah.reach.internal.child;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.howdah.reach.internal.call.AnswerText;
import dev.howdah.reach.internal.call.ReachFailure;
import dev.howdah.reach.internal.call.ReachFailure.Code;
import dev.howdah.reach.internal.call.Target;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What a command or program that has ended well wrote, with its standard error apart: {@code {"exit": 0, "stdout": "...", "stderr": "..."}}. */
public final class CommandAnswer {
    private CommandAnswer() {}

    /** Returns whether the task asks for it by the option {@code answer}. */
    public static boolean isJson(Target target) throws ReachFailure {
        String answer = target.option("answer");
        if (answer == null || answer.equals("text")) return false;
        if (answer.equals("json")) return true;
        throw ReachFailure.lasting(Code.ADDRESS, "the option answer is text or json, not \"" + answer + "\"");
    }

    /**
     * The output of the task: the text, or what {@code answer=json} asks for; null: nothing was written.
     *
     * @param wrote what came of whom, for the error: {@code the program x wrote}
     * @param errors the end of what it wrote to standard error
     */
    public static @Nullable String of(Target target, String wrote, byte[] output, String errors) throws ReachFailure {
        String text = AnswerText.strictly(output, StandardCharsets.UTF_8);
        if (isJson(target)) {
            ObjectNode answer = JsonNodeFactory.instance.objectNode().put("exit", 0);
            if (text == null) answer.put("stdout_base64", output);
            else answer.put("stdout", text);
            return answer.put("stderr", errors.replace("\0", "\ufffd")).toString();
        }
        if (text == null)
            throw ReachFailure.lasting(
                    Code.ANSWER,
                    wrote + " bytes that are no text",
                    null,
                    "With the option answer=json they become base64 in \"stdout_base64\".");
        return text.isEmpty() ? null : text;
    }
}
