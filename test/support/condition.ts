export { until, type Patience } from '../../scripts/hosts/condition';
