package dev.howdah.console.internal.process;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.page.ActionRequest;
import dev.howdah.console.internal.page.ActionResult;
import dev.howdah.console.internal.page.BadRequestException;
import dev.howdah.console.internal.page.PageAction;
import dev.howdah.console.internal.view.Texts;
import dev.howdah.process.Payload;
import dev.howdah.process.ProcessException;
import dev.howdah.process.Request;
import dev.howdah.process.client.ProcessClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What can be asked of a process. */
final class ProcessActions {
    /** How long a browser waits for an answer. */
    private static final Duration WAIT = Duration.ofSeconds(10);

    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private final ConsoleData data;

    ProcessActions(ConsoleData data) {
        this.data = data;
    }

    /** Something that is asked; what it answers, or null. */
    private interface Ask {
        @Nullable
        Payload of(ProcessClient client, Request request);
    }

    PageAction start() {
        return action("", "is created", ProcessClient::init, IdPlace.IN_FORM);
    }

    PageAction call() {
        return action("", "was called", ProcessClient::call, IdPlace.IN_PATH);
    }

    PageAction send() {
        return action(
                "",
                "got the message",
                (client, request) -> {
                    client.notify(request);
                    return null;
                },
                IdPlace.IN_PATH);
    }

    PageAction repair() {
        return action(
                "Repair process %s by a step of its processor? It goes on if the step succeeds.",
                "is repaired", ProcessClient::repair, IdPlace.IN_PATH);
    }

    PageAction simpleRepair() {
        return action(
                "Repair process %s without its processor? The timer that broke it runs again; if it was none, the process"
                        + " goes on as it is.",
                "is repaired, or its timer runs again",
                (client, request) -> {
                    client.simpleRepair(request);
                    return null;
                },
                IdPlace.IN_PATH);
    }

    PageAction remove() {
        return action(
                "Remove process %s? It and its history go for good.",
                "is removed",
                (client, request) -> {
                    client.remove(request);
                    return null;
                },
                IdPlace.REMOVED);
    }

    /** Where the id of the process is. */
    private enum IdPlace {
        IN_PATH,
        IN_FORM,
        /** In the path; the process is not there afterwards. */
        REMOVED
    }

    private PageAction action(String question, String done, Ask ask, IdPlace where) {
        return new PageAction() {
            @Override
            public String question(ActionRequest request) {
                return question.replace("%s", id(request, where));
            }

            @Override
            public ActionResult run(ActionRequest request) {
                String namespace = request.page().name("namespace");
                String id = id(request, where);
                String path = ProcessPages.path(namespace, id);
                Request asked;
                try {
                    asked = Request.of(namespace, id).timeout(WAIT);
                } catch (IllegalArgumentException e) {
                    throw new BadRequestException("Nothing was asked: " + e.getMessage() + ".");
                }
                byte[] args = args(request.field("args"));
                if (args != null) asked = asked.args(args);
                try {
                    Payload answer = ask.of(data.processClient(), asked);
                    return new ActionResult(
                            "Process " + id + " " + done + "." + answered(answer),
                            where == IdPlace.REMOVED ? ProcessPages.path(namespace) : path);
                } catch (ProcessException e) {
                    return new ActionResult(
                            refused(id, e),
                            where == IdPlace.IN_FORM && !mayExist(e) ? ProcessPages.path(namespace) : path);
                }
            }
        };
    }

    /** Whether there can be the new process all the same. */
    private static boolean mayExist(ProcessException e) {
        return switch (e.reason()) {
            case TIMEOUT, STEP_FAILED, PROCESS_EXISTS, CRASHED -> true;
            default -> false;
        };
    }

    private static String id(ActionRequest request, IdPlace where) {
        if (where != IdPlace.IN_FORM) return request.page().name("id");
        String id = request.field("id");
        if (id == null) throw new BadRequestException("Nothing was asked: the process needs an id.");
        return id;
    }

    private static byte @Nullable [] args(@Nullable String text) {
        if (text == null) return null;
        try {
            JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new BadRequestException(
                    "Nothing was asked: the arguments are no JSON: " + e.getOriginalMessage() + ".");
        }
        return text.strip().getBytes(StandardCharsets.UTF_8);
    }

    private static String answered(@Nullable Payload answer) {
        return answer == null || answer.size() == 0 ? "" : " Its answer: " + Texts.line(answer.text());
    }

    private static String refused(String id, ProcessException e) {
        return switch (e.reason()) {
            case TIMEOUT ->
                "Process " + id + " has not answered within " + WAIT.toSeconds()
                        + " s: the request goes on, or waits for a node.";
            case STEP_FAILED -> "The step of process " + id + " failed: " + Texts.line(e.getMessage());
            default -> "Nothing was done with process " + id + ": " + Texts.line(e.getMessage()) + ".";
        };
    }
}
