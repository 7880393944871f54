package dev.howdah.examples.agent;

import dev.howdah.job.FatalException;
import dev.howdah.job.Job;
import dev.howdah.job.JobsBuilder;
import dev.howdah.job.Kind;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ChatMessageDeserializer;
import dev.langchain4j.data.message.ChatMessageSerializer;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.NonRetriableException;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;

/** Answers a complaint: a model says which tools are to be used, one after the other, until it has an answer. */
public final class ComplaintAgent {
    /** A complaint is added as a job of this kind, with its text; the answer is its result. */
    public static final Kind<String> COMPLAINT = Kind.of("complaint", String.class);

    private static final String RULES =
            "You answer complaints about orders. Inspect the parcels before you pay money back.";
    private static final int TURNS = 20;

    private final Function<String, ChatModel> models;
    private final ComplaintTools tools;

    /** @param models gives the model that sends this key with its requests: a server that knows the key is not paid twice */
    public ComplaintAgent(Function<String, ChatModel> models, ComplaintTools tools) {
        this.models = models;
        this.tools = tools;
    }

    /** Gives a program the handlers of complaints and of what their tools do. */
    public JobsBuilder handledBy(JobsBuilder program) {
        return tools.handledBy(program.handle(COMPLAINT, this::work));
    }

    private void work(String complaint, Job job) throws Exception {
        String conversation = Objects.requireNonNull(
                job.step("conversation", String.class, () -> UUID.randomUUID().toString()));
        List<ChatMessage> talk = new ArrayList<>(List.of(SystemMessage.from(RULES), UserMessage.from(complaint)));
        for (int turn = 1; turn <= TURNS; turn++) {
            AiMessage answer = ask(talk, conversation, turn, job);
            talk.add(answer);
            if (!answer.hasToolExecutionRequests()) {
                job.result(answer.text());
                return;
            }
            List<ToolExecutionRequest> requests = answer.toolExecutionRequests();
            List<String> results = tools.use(requests, turn, job);
            for (int i = 0; i < requests.size(); i++)
                talk.add(ToolExecutionResultMessage.from(requests.get(i), results.get(i)));
        }
        throw new FatalException("no answer after " + TURNS + " turns");
    }

    /** A step: the answer is recorded with what it asks for, and the model is not asked again. */
    private AiMessage ask(List<ChatMessage> talk, String conversation, int turn, Job job) throws Exception {
        String name = "model " + turn;
        String answer = job.step(name, String.class, () -> {
            ChatRequest request = ChatRequest.builder()
                    .messages(talk)
                    .toolSpecifications(ComplaintTools.ALL)
                    .build();
            try {
                AiMessage said =
                        models.apply(conversation + "/" + name).chat(request).aiMessage();
                return ChatMessageSerializer.messageToJson(said);
            } catch (NonRetriableException e) {
                throw new FatalException("the model refuses the request: " + e.getMessage(), e);
            }
        });
        return (AiMessage) ChatMessageDeserializer.messageFromJson(answer);
    }
}
