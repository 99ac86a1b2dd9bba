/** The triggers in n8n's engine, whose modules take longer to load than most of these tests. */
import './alerts';
import './events';
import './executions';
import './restarts';
import './stored-release';
import './waiting';
