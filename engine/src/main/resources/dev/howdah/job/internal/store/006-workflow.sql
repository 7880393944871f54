-- To a workflow that was asked to close, no job is added while a node carries that out: the
-- workflow and what was asked of it are read by one statement. Read by two, the first could come
-- before the commit of the node and the second after it, so that neither saw the end.
CREATE OR REPLACE FUNCTION howdah.workflow_keep(of_workflow bigint)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $howdah$
DECLARE
    takes boolean;
BEGIN
    SELECT w.open AND w.ended IS NULL AND w.cancel_asked IS NULL AND NOT EXISTS (
        SELECT
        FROM howdah.workflow_event e
        WHERE e.workflow = w.id AND e.asked IS NOT NULL)
    INTO takes
    FROM howdah.workflow w
    WHERE w.id = of_workflow
    FOR KEY SHARE OF w;
    IF NOT FOUND THEN
        RAISE 'there is no workflow %, or it has been removed',
            COALESCE(of_workflow::text, 'NULL')
            USING ERRCODE = 'undefined_object';
    ELSIF NOT takes THEN
        RAISE 'nothing can be added to workflow %: it is not open', of_workflow
            USING ERRCODE = 'object_not_in_prerequisite_state',
                HINT = 'Jobs can be added to a workflow that was added as open, until it is closed '
                    'or cancelled.';
    END IF;
END
$howdah$;

-- records of steps
\ir 006-workflow/step.sql

INSERT INTO howdah.migration (feature, version, file)
VALUES ('job', 6, '006-workflow.sql');
