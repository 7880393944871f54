package dev.howdah.operations.listed;

import static dev.howdah.operations.shape.FieldType.BOOLEAN;
import static dev.howdah.operations.shape.FieldType.INTEGER;
import static dev.howdah.operations.shape.FieldType.JSON;
import static dev.howdah.operations.shape.FieldType.TEXT;
import static dev.howdah.operations.shape.FieldType.TEXTS;
import static dev.howdah.operations.shape.FieldType.TIME;

import dev.howdah.operations.Parameter;
import dev.howdah.operations.list.ListItem;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.read.EndedNode;
import dev.howdah.operations.read.Node;
import dev.howdah.operations.read.NodeOrder;
import dev.howdah.operations.value.PeriodValue;
import java.time.Duration;

/** Nodes. */
public final class NodeLists {
    public static final ListItem<Node> NODE = ListItem.<Node>of("Node")
            .of("id", INTEGER, "its number", Node::id)
            .of("name", TEXT, "its name", Node::name)
            .of("features", TEXTS, "what it does", Node::features)
            .of("started", TIME, "when it was started", Node::started)
            .of(
                    "alive",
                    BOOLEAN,
                    "false: it holds no lock, so it has ended or lost its connection",
                    node -> node.pid() != null)
            .maybe("pid", INTEGER, "the server process of its session", Node::pid)
            .maybe("address", TEXT, "from which its session comes", Node::address)
            .maybe("version", TEXT, "of its program, if it says so", Node::version)
            .of("serves", JSON, "queues, kinds and namespaces", Node::serves)
            .of("jobs", INTEGER, "jobs that it has claimed", Node::jobs)
            .wide("pid address version")
            .more("serves");

    private static final int MOST_ENDED = 500;

    private static final Parameter<String> SORT = ListModel.sort(NodeOrder.values());

    public static final ListModel<Node> NODES = ListModel.of("listNodes", "/nodes", "Lists nodes.", NODE)
            .command("node list")
            .sorted(SORT)
            .all(call -> call.engine().reads().nodes().stream()
                    .sorted(call.get(SORT, NodeOrder.class).comparator())
                    .toList());

    /** How far back ended nodes are listed. */
    public static final Parameter<Duration> LAST = Parameter.preset(
            "last",
            new PeriodValue(Duration.ofMinutes(1), Duration.ofDays(31), "1 minute to 31 days"),
            Duration.ofDays(1),
            "How far back, 31 days at most: such nodes are known for so long. A day unless given.");

    public static final ListModel<EndedNode> ENDED = ListModel.of(
                    "listEndedNodes",
                    "/ended-nodes",
                    "Lists nodes that have ended, and why.",
                    ListItem.<EndedNode>of("EndedNode")
                            .of("id", INTEGER, "its number", EndedNode::id)
                            .of("name", TEXT, "its name", EndedNode::name)
                            .of("features", TEXTS, "what it did", EndedNode::features)
                            .maybe("version", TEXT, "of its program, if it said so", EndedNode::version)
                            .of("started", TIME, "when it was started", EndedNode::started)
                            .of("ended", TIME, "when it left, or others recovered its claims", EndedNode::ended)
                            .of(
                                    "reason",
                                    TEXT,
                                    "stopped: it left by itself; lost: a crash or a lost connection; replaced: its"
                                            + " program goes on as another node",
                                    EndedNode::reason)
                            .wide("features started"))
            .command("node ended")
            .order("the last one first, up to " + MOST_ENDED)
            .filters(LAST)
            .all(call -> call.engine().reads().endedNodes(call.get(LAST), MOST_ENDED));

    private NodeLists() {}
}
