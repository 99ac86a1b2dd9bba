/** Switches n8n's address protection on; imported before n8n's engine, which reads its settings when it is loaded. */
process.env['N8N_SSRF_PROTECTION_ENABLED'] = 'true';
process.env['N8N_SSRF_ALLOWED_HOSTNAMES'] = 'localhost';
