package dev.howdah.console.internal.web;

import dev.howdah.console.internal.access.AccessSettings;
import dev.howdah.console.internal.agent.AgentTools;
import dev.howdah.console.internal.api.ApiRequest;
import dev.howdah.console.internal.api.ApiRoute;
import dev.howdah.console.internal.api.ApiServer;
import dev.howdah.console.internal.api.IdempotentRequests;
import dev.howdah.console.internal.api.event.EventRoutes;
import dev.howdah.console.internal.api.event.EventStreams;
import dev.howdah.console.internal.api.job.BulkRoutes;
import dev.howdah.console.internal.api.job.ErrorRoutes;
import dev.howdah.console.internal.api.job.JobRoutes;
import dev.howdah.console.internal.api.job.WaitedJobs;
import dev.howdah.console.internal.api.operation.ListRoutes;
import dev.howdah.console.internal.api.operation.OperationRoutes;
import dev.howdah.console.internal.api.overview.OverviewRoutes;
import dev.howdah.console.internal.api.process.ProcessBulkRoutes;
import dev.howdah.console.internal.api.process.ProcessRoutes;
import dev.howdah.console.internal.api.schedule.CalendarRoutes;
import dev.howdah.console.internal.api.schedule.ScheduleRoutes;
import dev.howdah.console.internal.api.sweep.SweepRoutes;
import dev.howdah.console.internal.api.task.TaskBulkRoutes;
import dev.howdah.console.internal.api.task.TaskRoutes;
import dev.howdah.console.internal.api.task.TaskScheduleRoutes;
import dev.howdah.console.internal.api.worker.PolledNodes;
import dev.howdah.console.internal.api.worker.WorkerRoutes;
import dev.howdah.console.internal.bulk.BulkQuestion;
import dev.howdah.console.internal.bulk.BulkRuns;
import dev.howdah.console.internal.data.ConsoleData;
import dev.howdah.console.internal.data.RecentSnapshot;
import dev.howdah.console.internal.install.FeatureRoutes;
import dev.howdah.console.internal.settings.ProgramSettings;
import dev.howdah.console.internal.settings.SettingsRoutes;
import dev.howdah.console.internal.signal.TokenSignals;
import dev.howdah.console.internal.sweep.SweepLauncher;
import dev.howdah.console.internal.token.TokenRoutes;
import dev.howdah.console.internal.workflow.PipelineRoutes;
import dev.howdah.console.internal.workflow.WorkflowRoutes;
import dev.howdah.operations.change.Operations;
import dev.howdah.operations.list.ListModel;
import dev.howdah.operations.listed.Lists;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The routes of the HTTP API, and what works behind them.
 *
 * @param lists those whose files people get
 * @param events of streams
 * @param eventRoutes of streams
 * @param workers the nodes that claim for HTTP workers
 * @param waits for the ends of jobs
 * @param server answers requests
 * @param tools the same routes for agents
 */
record ConsoleApi(
        ListRoutes lists,
        EventStreams events,
        EventRoutes eventRoutes,
        PolledNodes workers,
        WaitedJobs waits,
        ApiServer server,
        AgentTools tools)
        implements AutoCloseable {
    /** @param launcher of sweeps; null: none are started here */
    static ConsoleApi of(ConsolePort port, BulkRuns bulk, RecentSnapshot snapshot, @Nullable SweepLauncher launcher) {
        ConsoleData data = port.data();
        ConsoleServer.Settings settings = port.settings();
        AccessSettings access = settings.access();
        ProgramSettings program = port.program();
        DataSource ofWorkers = settings.workers();
        PolledNodes workers =
                new PolledNodes(port.given(), ofWorkers == null ? port.given().source() : ofWorkers);
        WaitedJobs waits =
                new WaitedJobs(port.given(), ofWorkers == null ? port.given().source() : ofWorkers);
        List<ListModel<?>> all = new ArrayList<>(Lists.all());
        all.add(BulkRoutes.list(bulk));
        all.addAll(OverviewRoutes.lists(data));
        all.addAll(SettingsRoutes.lists(data, access, program, port.logins()));
        ListRoutes lists = new ListRoutes(data, access, all);
        // First: the list of groups of tasks is no task.
        List<ApiRoute> routes = new ArrayList<>(lists.routes());
        routes.addAll(TaskRoutes.of(data, access));
        routes.addAll(TaskScheduleRoutes.of(data, access));
        routes.addAll(JobRoutes.of(data, access, waits));
        routes.addAll(BulkRoutes.of(data, access, bulk));
        routes.addAll(ErrorRoutes.of(data, access, bulk));
        routes.addAll(TaskBulkRoutes.of(data, access, bulk));
        routes.addAll(ProcessRoutes.of(data, access));
        routes.addAll(ProcessBulkRoutes.of(data, access, bulk));
        routes.addAll(ScheduleRoutes.of(data, access));
        routes.addAll(CalendarRoutes.of(data));
        routes.addAll(FeatureRoutes.of(data));
        routes.addAll(OverviewRoutes.of(data, access));
        routes.addAll(WorkflowRoutes.of(data, access));
        routes.addAll(PipelineRoutes.of(data));
        routes.addAll(SweepRoutes.of(data, access, launcher));
        routes.addAll(TokenRoutes.of(port.tokens()));
        routes.addAll(SettingsRoutes.of(access, port.logins()));
        routes.addAll(OperationRoutes.of(data, new IdempotentRequests(data.source(), data.schema()), Operations.all()));
        routes.addAll(WorkerRoutes.of(workers));
        EventStreams events =
                new EventStreams(data, ofWorkers == null ? port.given().source() : ofWorkers, snapshot, access);
        EventRoutes eventRoutes = new EventRoutes(events, access.channels());
        routes.addAll(eventRoutes.routes());
        routes.add(new TokenSignals(data, port.audit()).route());
        ApiServer server = new ApiServer(routes, port.audit(), settings.version());
        Map<String, Function<ApiRequest, BulkQuestion>> questions = new HashMap<>();
        questions.putAll(BulkRoutes.questions(data, access, bulk));
        questions.putAll(ErrorRoutes.questions(data));
        questions.putAll(TaskBulkRoutes.questions(data, access, bulk));
        questions.putAll(ProcessBulkRoutes.questions(data, access, bulk));
        AgentTools tools = new AgentTools(server, routes, questions, port.audit());
        return new ConsoleApi(lists, events, eventRoutes, workers, waits, server, tools);
    }

    @Override
    public void close() {
        workers.close();
        waits.close();
        events.close();
    }
}
