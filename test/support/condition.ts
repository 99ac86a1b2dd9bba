export { until } from '../../scripts/hosts/condition';
