#include "services/jobs/salt_views.h"

#include <initializer_list>
#include <string>

namespace muster::jobs {
namespace {

// Functions name nothing but the engine's own, so that they work whatever a reader's search path
// is. An index needs the first one to be immutable, which it is with the zone spelled out.
constexpr auto name_of_job = R"(
CREATE FUNCTION muster_jid(made timestamptz) RETURNS varchar LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT to_char(made AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS')::varchar
$$)";

// Agents and people write what is read here: a document that jsonb does not take (a NUL in a text,
// say) must not end the query of a reader who asked for a million others.
constexpr auto any_json = R"(
CREATE FUNCTION muster_json(content bytea) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS $$
BEGIN
  RETURN convert_from(content, 'UTF8')::jsonb;
EXCEPTION WHEN others THEN
  RETURN jsonb_build_object('base64', encode(content, 'base64'));
END $$)";

// Arguments as Salt passes them: the command of cmd.run by place, everything else by name.
constexpr auto salt_arguments = R"(
CREATE FUNCTION muster_arg(fun text, given jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN fun = 'cmd.run' AND given ? 'cmd' THEN jsonb_build_array(given -> 'cmd')
              ELSE '[]'::jsonb END
      || CASE WHEN rest = '{}'::jsonb THEN '[]'::jsonb
              ELSE jsonb_build_array(rest || '{"__kwarg__": true}'::jsonb) END
  FROM (SELECT CASE WHEN fun = 'cmd.run' THEN given - 'cmd' ELSE given END) AS named(rest)
$$)";

// What Salt would have returned. The engine cannot unpack what is kept compressed: then its digest,
// size and address are shown.
constexpr auto salt_return = R"(
CREATE FUNCTION muster_return(
  fun text, jid text, content bytea, digest bytea, size bigint, reason text)
RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
  shown jsonb;
BEGIN
  IF content IS NULL AND size = 0 THEN
    RETURN to_jsonb(reason);
  END IF;
  IF content IS NULL THEN
    RETURN jsonb_build_object('muster', jsonb_build_object(
      'digest', encode(digest, 'hex'),
      'size', size,
      'href', '/api/v1/jobs/' || jid || '/payloads/' || encode(digest, 'hex')));
  END IF;
  shown := convert_from(content, 'UTF8')::jsonb;
  IF fun = 'cmd.run' AND jsonb_typeof(shown) = 'object' AND shown ? 'stdout' THEN
    RETURN to_jsonb(rtrim(concat(shown ->> 'stdout', shown ->> 'stderr'), E' \t\r\n'));
  END IF;
  RETURN shown;
EXCEPTION WHEN others THEN
  RETURN jsonb_build_object('base64', encode(content, 'base64'));
END $$)";

constexpr auto salt_jobs = R"(
CREATE VIEW muster_salt_jobs AS
SELECT j.job,
       muster_jid(j.job) AS jid,
       (s.spec ->> 'function')::varchar AS fun,
       muster_arg(s.spec ->> 'function',
                  muster_json(convert_to(s.spec ->> 'arguments', 'UTF8'))) AS arg,
       s.spec ->> 'query' AS tgt,
       s.spec ->> 'by' AS by,
       j.targets,
       j.stage
FROM jobs j
CROSS JOIN LATERAL (SELECT muster_json(convert_to(j.spec, 'UTF8')) AS spec) s)";

// A number can belong to two keys while one takes the place of the other, and for ever afterwards:
// the one that is accepted counts, otherwise the last.
constexpr auto salt_tasks = R"(
CREATE VIEW muster_salt_tasks AS
SELECT t.sequence, t.node, j.fun, j.jid, j.arg, s.name::varchar AS id, t.state, t.exit_code,
       t.ended, t.attempt, t.reason, t.truncated,
       muster_return(j.fun, j.jid, coalesce(nullif(t.inline_payload, ''), p.plain),
                     t.digest, t.payload_size, t.reason) AS return
FROM muster_salt_jobs j
JOIN tasks t ON t.job = j.job
JOIN systems s ON s.number = t.system
LEFT JOIN payloads p
  ON t.inline_payload = '' AND p.digest = t.digest
  AND p.span = to_timestamp(floor(extract(epoch FROM t.job) / 604800) * 604800)
WHERE t.state IN ('completed', 'failed', 'cancelled')
  AND NOT EXISTS (
    SELECT 1 FROM systems o
    WHERE o.number = s.number
      AND (o.stage = 'accepted', o.changed, o.fingerprint)
        > (s.stage = 'accepted', s.changed, s.fingerprint)))";

constexpr auto jids_view = R"(
CREATE VIEW jids AS
SELECT j.jid,
       jsonb_build_object(
         'jid', j.jid, 'fun', j.fun, 'arg', j.arg, 'tgt', j.tgt, 'tgt_type', 'compound',
         'user', j.by, 'ret', '', 'cmd', 'publish',
         'muster', jsonb_build_object('targets', j.targets, 'stage', j.stage)) AS load
FROM muster_salt_jobs j)";

constexpr auto salt_returns_view = R"(
CREATE VIEW salt_returns AS
SELECT t.fun, t.jid, t.return, t.id,
       (CASE WHEN t.state = 'completed' THEN 'true' ELSE 'false' END)::varchar(10) AS success,
       jsonb_build_object(
         'id', t.id, 'jid', t.jid, 'fun', t.fun, 'fun_args', t.arg, 'return', t.return,
         'retcode', t.exit_code, 'success', t.state = 'completed', 'cmd', '_return',
         '_stamp', to_char(t.ended AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'),
         'muster', jsonb_build_object(
           'state', t.state, 'attempt', t.attempt, 'reason', t.reason, 'node', t.node,
           'truncated', t.truncated)) AS full_ret,
       t.ended AS alter_time
FROM muster_salt_tasks t)";

// A job's number and a task's are of two counters: the microsecond it was made in, and the place
// among all changes of tasks. They never meet, and each grows in the order of commits.
constexpr auto salt_events_view = R"(
CREATE VIEW salt_events AS
SELECT round(extract(epoch FROM j.job) * 1000000)::bigint AS id,
       ('salt/job/' || j.jid || '/new')::varchar AS tag,
       jsonb_build_object(
         'jid', j.jid, 'fun', j.fun, 'arg', j.arg, 'tgt', j.tgt, 'tgt_type', 'compound',
         'user', j.by,
         '_stamp', to_char(j.job AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')) AS data,
       j.job AS alter_time,
       (SELECT c.id FROM cluster c)::varchar AS master_id
FROM muster_salt_jobs j
UNION ALL
SELECT t.sequence,
       ('salt/job/' || t.jid || '/ret/' || t.id)::varchar,
       jsonb_build_object(
         'id', t.id, 'jid', t.jid, 'fun', t.fun, 'fun_args', t.arg, 'return', t.return,
         'retcode', t.exit_code, 'success', t.state = 'completed', 'cmd', '_return',
         '_stamp', to_char(t.ended AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')),
       t.ended,
       t.node::varchar
FROM muster_salt_tasks t)";

// Which place a new job has among the returns of all: it takes a number of the counter of tasks.
// The number is given as the last thing before the commit, and the counter's row stays locked until
// then, so that numbers of jobs and of tasks grow together in the order of commits.
constexpr auto job_places = R"(
CREATE TABLE muster_salt_new (
  job timestamptz PRIMARY KEY REFERENCES jobs (job) ON DELETE CASCADE,
  id bigint NOT NULL UNIQUE))";

// Jobs that are there already come behind everything: whoever follows is told of them once more
// rather than never.
constexpr auto places_of_earlier_jobs = R"(
WITH counted AS (SELECT job, row_number() OVER (ORDER BY job) AS place FROM jobs),
     given AS (
       UPDATE muster_sequences SET last = last + (SELECT count(*) FROM jobs)
       WHERE table_name = 'tasks' RETURNING last - (SELECT count(*) FROM jobs) AS before)
INSERT INTO muster_salt_new (job, id)
SELECT counted.job, given.before + counted.place FROM counted CROSS JOIN given)";

constexpr auto place_of_new_job = R"(
CREATE FUNCTION muster_place_job() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  given bigint;
BEGIN
  UPDATE muster_sequences SET last = last + 1 WHERE table_name = 'tasks' RETURNING last INTO given;
  INSERT INTO muster_salt_new (job, id) VALUES (NEW.job, given);
  RETURN NULL;
END $$)";

constexpr auto place_each_job = R"(
CREATE CONSTRAINT TRIGGER muster_place_job AFTER INSERT ON jobs
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION muster_place_job())";

constexpr auto ordered_salt_events_view = R"(
CREATE OR REPLACE VIEW salt_events AS
SELECT n.id,
       ('salt/job/' || j.jid || '/new')::varchar AS tag,
       jsonb_build_object(
         'jid', j.jid, 'fun', j.fun, 'arg', j.arg, 'tgt', j.tgt, 'tgt_type', 'compound',
         'user', j.by,
         '_stamp', to_char(j.job AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')) AS data,
       j.job AS alter_time,
       (SELECT c.id FROM cluster c)::varchar AS master_id
FROM muster_salt_jobs j
JOIN muster_salt_new n ON n.job = j.job
UNION ALL
SELECT t.sequence,
       ('salt/job/' || t.jid || '/ret/' || t.id)::varchar,
       jsonb_build_object(
         'id', t.id, 'jid', t.jid, 'fun', t.fun, 'fun_args', t.arg, 'return', t.return,
         'retcode', t.exit_code, 'success', t.state = 'completed', 'cmd', '_return',
         '_stamp', to_char(t.ended AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')),
       t.ended,
       t.node::varchar
FROM muster_salt_tasks t)";

std::vector<table::step> on_postgres(std::initializer_list<const char*> texts) {
    std::vector<table::step> steps;
    for (const auto* const text : texts)
        steps.emplace_back(table::engine_sql{.postgres = text, .sqlite = {}});
    return steps;
}

}  // namespace

std::vector<table::step> salt_views() {
    return on_postgres(
        {name_of_job,
         any_json,
         salt_arguments,
         salt_return,
         // For who asks by job, by number (each row of a task does) and by name.
         "CREATE INDEX jobs_by_jid ON jobs (muster_jid(job))",
         "CREATE INDEX systems_by_number ON systems (number)",
         "CREATE INDEX systems_by_name ON systems (name)",
         salt_jobs,
         salt_tasks,
         jids_view,
         salt_returns_view,
         salt_events_view});
}

std::vector<table::step> salt_events_in_one_order() {
    return on_postgres(
        {job_places,
         places_of_earlier_jobs,
         place_of_new_job,
         place_each_job,
         ordered_salt_events_view});
}

}  // namespace muster::jobs
