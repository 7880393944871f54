-- What programs call ------------------------------------------------------------------------------

SELECT howdah_internal.for_drivers('{add,add_holidays,add_keyed_many,add_many,add_ordered,'
    'add_reader,add_to_pipeline,add_to_workflow,add_workflow,age,change_jobs,count_tag,drop_record,'
    'emit,limit,next_runs,put_pipeline,queue,rate_limit,remove_holidays,reprioritize,reschedule,'
    'retain,schedule,schedule_runs,seek_reader,set_payload,signal,signal_or_add,signal_token,'
    'spread,wait_job}');

-- Privileges --------------------------------------------------------------------------------------

-- Runs with the privileges of its caller: only the owner of the tables can grant on them.
CREATE FUNCTION howdah.allow(role regrole, duty text)
RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    -- The tables and functions of jobs: the schemas have those of other features as well.
    read CONSTANT text := (
        SELECT string_agg(t.name, ', ')
        FROM (
            SELECT 'howdah.' || unnest('{holiday,log,pipeline,progress,retention,schedule}'::text[])
            UNION ALL
            SELECT 'howdah_internal.' || unnest(
                '{awaited_end,backlog,batch,bell,body,cancellation,child_end,counted_tag,'
                'counted_tag_name,delegate,error_mark,error_stat,error_text,'
                'failed,follower,group_clock,group_share,group_state,group_wake,job,'
                'job_event,job_record,job_signal,job_step,job_token,key,key_late,lane,'
                'lane_priority,log_done,'
                'log_entry,log_lease,log_queue,log_reader,log_segment,node,order_key,'
                'ordered,queue_ageing,'
                'queue_limit,rate_limit,rate_use,retention_late,stat,stat_mark,'
                'stat_open,stat_wait,tag_stat,workflow,workflow_edge,workflow_event,'
                'workflow_job}'::text[])
        ) AS t (name));
    worked CONSTANT text[] := '{add,add_each,add_keyed,add_keyed_many,add_many,add_ordered,added,'
        'age,async_trigger,attempts,await_jobs,await_over,batch_number,begin_own,cancel,'
        'cancel_waiting,cancellations,change_jobs,change_step,check_change,check_job,'
        'check_limit_of,check_name,check_option,check_options,check_priority,check_tags,'
        'check_weight,check_zone,'
        'claim_within,cron_bit,cron_ceiling,cron_change,cron_days,cron_field,cron_next,cron_plan,'
        'cron_value,delegate,delete_job,drop_day,due,end_own,find,for_each,group_book,group_choose,'
        'group_fold,group_lane,group_next,group_pick,group_running,group_take,has_due,'
        'error_pattern,home_of,hurry,is_large,'
        'keyed_more,keys_late,keys_settle,kind_lane,lane_for,lane_of,lanes_for,lanes_of,limit,'
        'limit_changed,limit_room,limits_known,make_day,make_days,move_jobs,next_runs,'
        'option_names,pause,'
        'pause_schedule,payload_contains,put,put_body,put_grouped,put_keyed,put_large,put_new,'
        'put_ordered,'
        'rate_book,rate_left,rate_limit,rate_need,rate_of_group,rate_of_lane,reprioritize,resume,'
        'resume_schedule,retry,ring,run_schedule,schedule,share,stages,tell_ended,trace,'
        'turn_letters,undelegate,unschedule,unusual,unusual_each,wait_job}'::text[]
        || '{add_unique,appended,check_unique,payload_key,rewrite_waiting,unique_key,unique_policy}'
        || '{add_to_pipeline,filled,put_pipeline,remove_pipeline,takes_results,workflow_payload}'
        || '{add_workflow,add_to_workflow,cancel_workflow,check_cycle,check_workflow_jobs,'
        'close_workflow,put_workflow,put_workflow_job,workflow_added,workflow_advance,'
        'workflow_ask,workflow_drop,workflow_end,'
        'workflow_keep,workflow_release,workflow_reopen,workflow_settle,workflow_sweep}'::text[]
        || '{add_holidays,add_scheduled,add_up_errors,add_up_tags,add_up_waits,backlog_now,'
        'calendar_next,check_policies,check_runs,'
        'count_tag,cron_moment,holidays,plain_next,put_retention,remove_holidays,retain,'
        'retention_archive,retention_done,retention_drop,retention_ended,retention_failed,'
        'retention_following,retention_has,retention_jobs,retention_over,retention_remove,'
        'retention_step,sample_backlog,schedule_runs,uncount_tag,wait_counts,wait_sums,work_day}'
        || '{bell_answer,bell_waits,check_characters,check_known,check_new,lanes_made,'
        'payload_jsonb,put_schedule,refused_characters,tell}'
        || '{add_reader,drop_reader,limit_unread,log_behind,log_check_room,log_claim,log_count,'
        'log_drop,log_end,log_entries,log_find,log_late,log_lane,log_make_reader,log_make_segment,'
        'log_move_reader,log_note,log_of,log_order_key,log_place,log_put,log_put_each,'
        'log_reader_of,log_readers,log_rotate,log_segment_name,log_set_apart,log_tidy,'
        'log_unpack,log_unpack_all,log_unread,log_waiting,queue,seek_reader,unread}'
        || '{why_behind,why_busy,why_claimed,why_ended,why_follows,why_foreign,why_job,why_jobs,'
        'why_limited,why_locked,why_moment,why_nodes,why_paced,why_paused,why_schedule,why_span,'
        'why_suspended,why_unserved,why_waits}'
        || '{child_done,copy_records,drop_record,emit,events_unread,order_ancestor,'
        'pair_signals,parent_done,'
        'release_signals,reschedule,resume_level,rest_with,set_payload,set_version,spread,'
        'rerun,signal_or_add,'
        'signal_token,signals_pass_on,throws_cancel,token_find,token_use}'
        || '{signal,signals_unread,waits_for}';
    produced CONSTANT text[] := '{add,add_each,add_keyed_many,add_many,add_ordered,'
        'add_to_pipeline,add_to_workflow,add_workflow,added,async_trigger,close_workflow,log_put,'
        'log_put_each,put_grouped,put_large,put_ordered,put_workflow,signal_or_add,tell,'
        'workflow_added,workflow_keep}';
    sent CONSTANT text[] := '{emit,signal}';
    seen CONSTANT text[] := '{attempts,await_jobs,await_over,error_pattern,find,holidays,log_find,'
        'log_readers,log_waiting,next_runs,payload_contains,schedule_runs,stages,unread,wait_job,'
        'why_job,why_schedule}';
    operated CONSTANT text[] := '{add_reader,age,cancel,cancel_workflow,change_jobs,change_step,'
        'check_change,close_workflow,delete_job,drop_reader,drop_record,hurry,limit,limit_unread,'
        'move_jobs,pause,pause_schedule,queue,rate_limit,release_signals,reprioritize,rerun,'
        'reschedule,resume,resume_schedule,retry,run_schedule,seek_reader,set_tags,set_version,'
        'share,signal_token,spread,tell,token_find,token_use}';
    given text;
BEGIN
    IF duty NOT IN ('producer', 'sender', 'reader', 'operator', 'worker', 'handler') THEN
        RAISE
            'the duty "%" is not known: it has to be producer, sender, reader, operator, worker or '
            'handler',
            duty
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    FOREACH given IN ARRAY ARRAY['USAGE ON SCHEMA howdah, howdah_internal']
        || CASE WHEN duty IN ('producer', 'worker') THEN ARRAY[
            -- The library adds without a function, because that is faster. It cannot read what is
            -- in a job, nor change one.
            'SELECT ON howdah.migration, howdah_internal.lane, howdah_internal.lane_priority,'
            ' howdah_internal.log_queue,'
                ' howdah_internal.log_reader',
            'INSERT (queue, kind) ON howdah_internal.lane',
            'INSERT ON howdah_internal.lane_priority',
            'SELECT (id, lane), INSERT (lane, kind, priority, run_at, payload, more)'
            ' ON howdah_internal.job',
            'USAGE ON SEQUENCE howdah_internal.job_id_seq'] ELSE '{}' END
        || CASE WHEN duty IN ('reader', 'operator', 'worker') THEN ARRAY[
            'SELECT ON ' || read || ', howdah.migration, howdah.errors, howdah.jobs, howdah.limits,'
                ' howdah_internal.node_end, howdah_internal.worker_pace,'
                ' howdah_internal.stat_parts, howdah.stats,'
                ' howdah.stats_hourly, howdah.tag_stats, howdah.taken,'
                ' howdah.workflows, howdah.workflow_jobs'] ELSE '{}' END
        || CASE WHEN duty IN ('operator', 'worker') THEN ARRAY['UPDATE (paused) ON howdah.schedule']
            ELSE '{}' END
        || CASE WHEN duty = 'worker' THEN
            ARRAY['INSERT, UPDATE, DELETE ON howdah_internal.awaited, ' || read,
                'SELECT ON howdah_internal.awaited'] ELSE '{}' END
        || ARRAY(
            SELECT 'EXECUTE ON ROUTINE ' || p.oid::regprocedure
            FROM pg_proc p
            WHERE p.pronamespace IN ('howdah'::regnamespace, 'howdah_internal'::regnamespace)
                AND (p.proname = ANY (CASE duty
                    WHEN 'producer' THEN produced WHEN 'sender' THEN sent WHEN 'reader' THEN seen
                    WHEN 'operator' THEN sent || seen || operated
                    WHEN 'worker' THEN produced || sent || seen || operated || worked END)
                    OR p.proname ~ '^given_' AND duty <> 'handler'))
        || CASE WHEN duty = 'handler' THEN ARRAY[
            'EXECUTE ON FUNCTION howdah_internal.begin_own(integer, bigint, bigint)',
            'EXECUTE ON FUNCTION howdah_internal.end_own(integer, bigint, bigint, jsonb, integer,'
            ' integer,'
                ' bigint)'] ELSE '{}' END
    LOOP
        EXECUTE format('GRANT %s TO %s', given, role);
    END LOOP;
END
$howdah$;
COMMENT ON FUNCTION howdah.allow(regrole, text) IS
    'Grants a role what a producer, sender (of signals), reader, operator, worker or handler '
    'needs, and no more. To be called again after an upgrade.';

CREATE FUNCTION howdah.allow(role text, duty text)
RETURNS void
LANGUAGE sql
AS $howdah$ SELECT howdah.allow($1::pg_catalog.regrole, $2) $howdah$;
COMMENT ON FUNCTION howdah.allow(text, text) IS
    'Grants a role what a producer, sender (of signals), reader, operator, worker or handler '
    'needs, and no more. To be called again after an upgrade.';

-- Functions are executable by PUBLIC unless that is revoked. Those of tasks, and those that say why
-- a process or a sweep does not go on, stay so: they have no privileges of their own.
DO $howdah$
DECLARE
    each regprocedure;
BEGIN
    FOR each IN
        SELECT p.oid
        FROM pg_proc p
        WHERE p.pronamespace IN ('howdah'::regnamespace, 'howdah_internal'::regnamespace)
            AND p.proname NOT IN (
                'run', 'wait', 'task_table', 'writers', 'why_process', 'why_sweep')
    LOOP
        EXECUTE format('REVOKE EXECUTE ON ROUTINE %s FROM PUBLIC', each);
    END LOOP;
END
$howdah$;
