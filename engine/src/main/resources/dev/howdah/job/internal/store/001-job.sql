-- The tables of jobs. Do not write to them directly: use howdah.add and its variants, the
-- functions for operators, or the library. psql runs this file as it stands (\ir reads a file
-- beside it).

-- The tables --------------------------------------------------------------------------------------
-- lanes, jobs that wait, batches, failed jobs, reports of handlers
\ir 001-job/table-job.sql
-- waits of handlers, and how they ended
\ir 001-job/table-wait.sql
-- notifications of transactions that are prepared, howdah_internal.tell
\ir 001-job/bell.sql
-- waiting for the end of jobs, keys, order keys
\ir 001-job/table-key.sql
-- workflows and pipelines
\ir 001-job/table-workflow.sql
-- groups, limits, rates, delegated kinds
\ir 001-job/table-limit.sql
-- schedules, holidays, retention
\ir 001-job/table-schedule.sql
-- log queues: jobs that are entries of a log
\ir 001-job/table-log.sql

-- Views and statistics ----------------------------------------------------------------------------
-- counts of ended jobs by minute, queue and kind
\ir 001-job/statistics.sql
-- how many jobs waited at each minute, and for how long
\ir 001-job/backlog.sql
-- counts by tag
\ir 001-job/tag-statistics.sql
-- howdah.error_pattern
\ir 001-job/pattern.sql
-- errors over time
\ir 001-job/error-statistics.sql
-- howdah.jobs, howdah.errors, attempts of a job
\ir 001-job/view.sql
-- howdah.find
\ir 001-job/find.sql

-- Adding jobs -------------------------------------------------------------------------------------
-- the characters and the length of names
\ir 001-job/names.sql
-- checks of arguments and options
\ir 001-job/check.sql
-- the lane of a job, its body, keys
\ir 001-job/lane.sql
-- howdah.add with the option unique
\ir 001-job/add-unique.sql
-- segments of log queues, howdah_internal.log_put
\ir 001-job/log-entry.sql
-- howdah.add, add_many, add_ordered
\ir 001-job/add.sql
-- adding in bulk, triggers that add jobs
\ir 001-job/add-bulk.sql

-- The end of jobs ---------------------------------------------------------------------------------
-- howdah.wait_job
\ir 001-job/await.sql
-- howdah.emit
\ir 001-job/event.sql
-- howdah.signal, and the waits that signals end
\ir 001-job/signal.sql
-- howdah.signal_token
\ir 001-job/token.sql
-- howdah.signal_or_add
\ir 001-job/signal-add.sql
-- what the end of a job means to its key
\ir 001-job/key.sql
-- howdah.add_workflow
\ir 001-job/workflow-add.sql
-- howdah.add_to_workflow, close_workflow
\ir 001-job/workflow-extend.sql
-- what the end of a job means to its workflow
\ir 001-job/workflow-advance.sql
-- pipelines defined in SQL
\ir 001-job/pipeline.sql

-- Functions for operators -------------------------------------------------------------------------
-- cancel, retry, hurry
\ir 001-job/operator.sql
-- drop_record, set_version
\ir 001-job/record.sql
-- rerun
\ir 001-job/rerun.sql
-- change_jobs: the same for many jobs
\ir 001-job/operator-bulk.sql
-- delete, reprioritize, set_tags, pause, resume
\ir 001-job/operator-lane.sql
-- set_payload, reschedule
\ir 001-job/operator-change.sql
-- howdah.limit, rate_limit, share, age
\ir 001-job/limit.sql
-- howdah.queue, add_reader, seek_reader, drop_reader, log_readers
\ir 001-job/log-reader.sql
-- howdah.limit_unread, unread, and lists of what no node has taken from log queues
\ir 001-job/log-unread.sql

-- Functions for nodes -----------------------------------------------------------------------------
-- what is left of a rate
\ir 001-job/rate.sql
-- claims from lanes with groups, rates or several limits
\ir 001-job/claim-within.sql
-- claims from log queues
\ir 001-job/log-claim.sql
-- the end of leases of log queues
\ir 001-job/log-end.sql
-- new segments of log queues, and those that go
\ir 001-job/log-segment.sql
-- the next time of a cron expression
\ir 001-job/cron.sql
-- howdah.schedule, next_runs, calendars
\ir 001-job/schedule.sql
-- howdah.retain, and the deletion of ended jobs
\ir 001-job/retention.sql
-- the tables of days
\ir 001-job/history.sql
-- handlers in their job's transaction
\ir 001-job/own-transaction.sql
-- howdah.why_job, why_schedule: why something does not run
\ir 001-job/why.sql
-- howdah.allow
\ir 001-job/privileges.sql

INSERT INTO howdah.migration (feature, version, file)
VALUES ('job', 1, '001-job.sql');
